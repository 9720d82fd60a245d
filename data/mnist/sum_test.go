package mnist

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSum(t *testing.T) {
	for _, v := range []int{0, 7, 10, 198, 1_000, 1_999_999_999_999_999_998} {
		s := NewSum(v, 18)
		text, err := json.Marshal(s)
		if len(s) != 19 || s.Int() != v || string(text) != s.String() || err != nil {
			t.Errorf("%d is %v as a sum: %d, JSON %s, %v", v, []int(s), s.Int(), text, err)
		}
		var back int
		if err := json.Unmarshal(text, &back); err != nil || back != v {
			t.Errorf("%d comes back as %d, %v", v, back, err)
		}
	}
	nines, one := make([]int, 500), make([]int, 500)
	for i := range nines {
		nines[i] = 9
	}
	one[499] = 1
	if got, want := add(nines, one).String(), "1"+strings.Repeat("0", 500); got != want {
		t.Errorf("500 nines and 1 make %s", got)
	}
}
