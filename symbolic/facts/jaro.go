package facts

// jaroWinkler is Winkler's similarity of two texts, 0 to 1, as his own program computes it: half the
// number of characters out of order is rounded down, and a common prefix counts where Jaro's
// similarity is above 0.7.
func jaroWinkler(s, t string) float64 {
	a, b := []rune(s), []rune(t)
	window := max(max(len(a), len(b))/2-1, 0)
	taken := make([]bool, len(b))
	var matched []rune // characters of a that b has nearby
	for i, c := range a {
		for j := max(i-window, 0); j < min(i+window+1, len(b)); j++ {
			if !taken[j] && b[j] == c {
				taken[j] = true
				matched = append(matched, c)
				break
			}
		}
	}
	if len(matched) == 0 {
		return 0
	}
	astray, next := 0, 0
	for j, c := range b {
		if taken[j] {
			if matched[next] != c {
				astray++
			}
			next++
		}
	}
	m := float64(len(matched))
	jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(astray/2))/m) / 3
	if jaro <= 0.7 {
		return jaro
	}
	prefix := 0
	for prefix < min(len(a), len(b), 4) && a[prefix] == b[prefix] {
		prefix++
	}
	return jaro + 0.1*float64(prefix)*(1-jaro)
}
