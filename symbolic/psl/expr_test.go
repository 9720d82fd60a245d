package psl

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		word string
		from []string
		want string
	}{
		{"Knowz", []string{"Likes", "Knows"}, "Knows"},
		{"knows", []string{"Likes", "Knows"}, "Knows"},
		{"Friend", []string{"Enemies", "Friends"}, "Friends"},
		{"Lives", []string{"Likes", "Lived"}, "Likes"},
		{"Votes", []string{"Knows", "Trusts"}, ""},
		{"X", nil, ""},
	} {
		assert.Equalf(t, c.want, Nearest(c.word, c.from), "nearest to %s of %v", c.word, c.from)
	}
}
