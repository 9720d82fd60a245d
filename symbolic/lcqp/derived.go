package lcqp

// Derived returns the value for key, which make returns on the first call. Packages keep with
// it what they compute from a template, such as the analysis of its pattern, for as long as
// the template lives. Keys are compared like keys of a map; a package uses a key type of its
// own. Goroutines may call it at once: all get the same value, though make may then run more
// than once.
func (t *Template) Derived(key any, make func() any) any {
	if v, ok := t.derived.Load(key); ok {
		return v
	}
	v, _ := t.derived.LoadOrStore(key, make())
	return v
}
