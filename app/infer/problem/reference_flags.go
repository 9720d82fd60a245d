package problem

import (
	"slices"
	"strings"

	"hinge/symbolic/model"
)

// ReferenceFlags takes the reference's --infer [METHOD] and --learn [METHOD] out of the
// arguments and turns them into options of the model. If one of them is given, the other phase
// is skipped unless it is given too. A METHOD is a class of the reference. -learn LOSS is
// another flag.
func ReferenceFlags(args []string) (rest, set []string) {
	does := map[string]bool{}
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		key := map[string]string{"infer": "runtime.inference", "learn": "runtime.learn"}[name]
		if key == "" || !strings.HasPrefix(args[i], "-") {
			rest = append(rest, args[i])
			continue
		}
		next := !given && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-")
		if next {
			value = args[i+1]
		}
		if name == "learn" && (given || next) && !model.IsLearner(value) {
			rest = append(rest, args[i])
			continue
		}
		if next {
			i++
		}
		does[key] = true
		if value != "" {
			set = append(set, key+".method="+value)
		}
	}
	if len(does) > 0 {
		for _, key := range []string{"runtime.learn", "runtime.inference"} {
			truth := map[bool]string{true: "=true", false: "=false"}[does[key]]
			set = slices.Insert(set, 0, key+truth)
		}
	}
	return rest, set
}
