package linqs

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The generator agrees with the Java platform: new Random(0).nextInt() begins
// with −1155484576, −723955400, 1033096058, and nextInt(8) takes the highest bits.
func TestJavaRandom(t *testing.T) {
	r := newJavaRandom(0)
	for i, first := range []int32{-1155484576, -723955400, 1033096058} {
		if got, want := r.eighth(), int(uint32(first)>>29); got != want {
			t.Errorf("draw %d is %d, want %d", i, got, want)
		}
	}
	// Another seed, another stream; each of the eight numbers comes up.
	r = newJavaRandom(42)
	var counts [8]int
	for range 8000 {
		counts[r.eighth()]++
	}
	for k, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("%d came %d times of 8000", k, n)
		}
	}
}

// triangle is a network of three people.
var triangle = map[string]string{
	"knows.txt": "1\t2\t1\n2\t3\t1\n10\t1\t1\n2\t1\t1\n", "trusts.txt": "10\t1\t0\n2\t3\t1\n1\t2\t1\n2\t1\t1\n",
}

func TestReadEpinions(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, triangle)
	net, err := ReadEpinions(dir)
	require.NoError(t, err)
	want := []Judgement{{1, 2, true}, {2, 1, true}, {2, 3, true}, {10, 1, false}} // by number, not by text
	assert.Equal(t, want, net.Judgements, "judgements")
	assert.Equalf(t, []int{5, 6, 1}, net.Fold[:3], "folds %v", net.Fold)
}

func TestReadEpinionsErrors(t *testing.T) {
	for _, test := range []struct{ knows, trusts, want string }{
		{"", "", "trusts.txt: the file is empty"},
		{"1\t2\t1\n", "", "trusts.txt: 1 pairs of knows.txt are missing"},
		{"1\t2\t1\n", "1\t2\t1\n1\t2\t1\n", "trusts.txt:2:1: the pair 1, 2"},
		{"1\t2\t1\n1\t2\t1\n", "", "knows.txt:2:1: the pair 1, 2 is there twice"},
		{"1\t2\t1\n", "2\t1\t1\n", "trusts.txt:1:1: the pair 2, 1 is not in knows.txt"},
		{"1\t2\t1\n", "1\t2\t0.5\n", `trusts.txt:1:1: the value "0.5" is neither 0 nor 1`},
		{"1\t2\t0\n", "", `knows.txt:1:1: the value "0" is not 1`},
		{"1\t-2\t1\n", "", `knows.txt:1:1: "-2" is not the number of a person`},
		{"1\t02\t1\n", "", `knows.txt:1:1: "02" is not`},
		{"1\t99999999999999999999\t1\n", "", `knows.txt:1:1: "99999999999999999999" is not`},
	} {
		dir := t.TempDir()
		put(t, dir, map[string]string{"knows.txt": test.knows, "trusts.txt": test.trusts})
		_, err := ReadEpinions(dir)
		wantError(t, err, test.want)
	}
	_, err := ReadEpinions(t.TempDir())
	wantError(t, err, "there is no", "knows.txt", "bach-uai13-code")
}

// The parts are disjoint and complete, and learning sees nothing of the test's
// hidden judgements.
func TestTrustParts(t *testing.T) {
	net := new(TrustNetwork)
	for i := range 400 {
		net.Judgements = append(net.Judgements, Judgement{From: i, To: i + 1, Trusts: i%3 == 0})
		net.Fold = append(net.Fold, i%7) // nothing in fold 7
	}
	for f := range TrustFolds {
		learn, test, err := net.Part(f)
		require.NoError(t, err)
		if len(test.Given)+len(test.Hidden) != 400 || len(learn.Given)+len(learn.Hidden) != len(test.Given) {
			t.Errorf("fold %d: %d + %d to learn, %d + %d to test", f, len(learn.Given), len(learn.Hidden), len(test.Given), len(test.Hidden))
		}
		for _, j := range test.Hidden {
			if net.Fold[j.From] != f || slices.Contains(learn.Given, j) || slices.Contains(learn.Hidden, j) || slices.Contains(test.Given, j) {
				t.Errorf("fold %d: %v is hidden in the test and elsewhere, too", f, j)
			}
		}
		for _, j := range learn.Hidden {
			if net.Fold[j.From] != (f+7)%8 || slices.Contains(learn.Given, j) {
				t.Errorf("fold %d: %v is hidden in learning", f, j)
			}
		}
	}
	for _, f := range []int{-1, 8} {
		if _, _, err := net.Part(f); err == nil {
			t.Errorf("there is a fold %d", f)
		}
	}
	p := TrustPart{Given: []Judgement{{Trusts: true}, {Trusts: true}, {}, {Trusts: true}}}
	if p.Prior() != 0.75 || new(TrustPart).Prior() != 0 {
		t.Errorf("prior %v", p.Prior())
	}
}

// dataRoot is HINGE_DATA.
func dataRoot(t *testing.T) string {
	t.Helper()
	root := os.Getenv("HINGE_DATA")
	if root == "" {
		t.Skip("set HINGE_DATA to the data root (see the errors of ReadEpinions and ReadInteractions) to run this test")
	}
	return root
}

// The published sample has the published counts and folds.
func TestEpinions(t *testing.T) {
	dir := filepath.Join(dataRoot(t), "epinions")
	net, err := ReadEpinions(dir)
	require.NoError(t, err)
	people, trust, self := map[int]bool{}, 0, 0
	var sizes [TrustFolds]int
	for i, j := range net.Judgements {
		people[j.From], people[j.To] = true, true
		if j.Trusts {
			trust++
		}
		if j.From == j.To {
			self++
		}
		sizes[net.Fold[i]]++
	}
	if len(net.Judgements) != 8675 || trust != 7974 || self != 13 || len(people) != 2000 {
		t.Errorf("%d judgements of %d people, %d trust, %d of themselves", len(net.Judgements), len(people), trust, self)
	}
	assert.Equal(t, [...]int{1098, 1078, 1108, 1032, 1097, 1109, 1149, 1004}, sizes)
	// Where a table of the folds lies beside the files, it says the same.
	at := 0
	err = eachLine(filepath.Join(dir, "pairs_folds.tsv"), "", 4, func(f []string) error {
		if strings.HasPrefix(f[0], "#") {
			return nil
		}
		j := net.Judgements[at]
		if got := []string{strconv.Itoa(j.From), strconv.Itoa(j.To), strconv.Itoa(net.Fold[at])}; !slices.Equal(got, []string{f[0], f[1], f[3]}) {
			t.Fatalf("judgement %d is %v, want %v", at, got, f)
		}
		at++
		return nil
	})
	if err != nil {
		t.Logf("folds not compared: %v", err)
	} else if at != 8675 {
		t.Errorf("%d folds compared", at)
	}
}
