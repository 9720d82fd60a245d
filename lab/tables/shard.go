package tables

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseShard reads which share of the runs to make, as Runner.Shard and Runner.Shards:
// "i/n" is the i-th of n, from 0; "auto" asks the job that the process is a task of, and
// "auto/n" the index alone. env looks up its variables: a Slurm array has
// SLURM_ARRAY_TASK_ID with the smallest, the step and the number of them, a Kubernetes
// Indexed Job has JOB_COMPLETION_INDEX and tells no number.
func ParseShard(text string, env func(string) string) (shard, shards int, err error) {
	index, count, _ := strings.Cut(text, "/")
	if index == "auto" {
		var found string
		if index, found = taskOf(env); index == "" {
			return 0, 0, fmt.Errorf("%q: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set; give i/n", text)
		}
		if count == "" {
			count = found
		}
		if count == "" {
			return 0, 0, fmt.Errorf("%q: the job does not tell the number of its tasks; give auto/n", text)
		}
	}
	shard, err = strconv.Atoi(index)
	if err == nil {
		shards, err = strconv.Atoi(count)
	}
	if err != nil || shard < 0 || shard >= shards {
		return 0, 0, fmt.Errorf("%q is not i/n with 0 ≤ i < n, auto or auto/n", text)
	}
	return shard, shards, nil
}

// taskOf is the index of this task in its job, from 0, and the number of tasks, "" where
// they are not known.
func taskOf(env func(string) string) (index, count string) {
	id, err := strconv.Atoi(env("SLURM_ARRAY_TASK_ID"))
	if err != nil {
		return env("JOB_COMPLETION_INDEX"), ""
	}
	number := func(name string, or int) int {
		if n, err := strconv.Atoi(env(name)); err == nil {
			return n
		}
		return or
	}
	least, step := number("SLURM_ARRAY_TASK_MIN", 0), max(number("SLURM_ARRAY_TASK_STEP", 1), 1)
	return strconv.Itoa((id - least) / step), env("SLURM_ARRAY_TASK_COUNT")
}
