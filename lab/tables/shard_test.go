package tables

import (
	"strings"
	"testing"
)

func TestParseShard(t *testing.T) {
	array := map[string]string{"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_STEP": "2"}
	indexed := map[string]string{"JOB_COMPLETION_INDEX": "2"}
	for _, c := range []struct {
		text string
		env  map[string]string
		want [2]int
		err  string
	}{
		{"0/1", nil, [2]int{0, 1}, ""},
		{"2/5", array, [2]int{2, 5}, ""},
		{"auto", array, [2]int{3, 4}, ""}, // of 1, 3, 5, 7
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "4"}, [2]int{3, 4}, ""},
		{"auto/6", indexed, [2]int{2, 6}, ""},
		{"auto", indexed, [2]int{}, "give auto/n"},
		{"auto", nil, [2]int{}, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX"},
		{"auto/2", indexed, [2]int{}, "is not i/n"},
		{"5/5", nil, [2]int{}, "is not i/n"},
		{"-1/5", nil, [2]int{}, "is not i/n"},
		{"1", nil, [2]int{}, "is not i/n"},
		{"1/2/3", nil, [2]int{}, "is not i/n"},
		{"a/b", nil, [2]int{}, "is not i/n"},
	} {
		shard, shards, err := ParseShard(c.text, func(name string) string { return c.env[name] })
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) || [2]int{shard, shards} != c.want {
			t.Errorf("%q: %d/%d, %v; want %v, %s", c.text, shard, shards, err, c.want, c.err)
		}
	}
}
