package lcqp

// Derived returns the value that belongs to key, which make returns on the
// first call. It is how a package keeps what it works out from a template, such
// as the analysis of its pattern, for as long as the template lives and no
// longer. Keys are compared like keys of a map; packages use a type of their
// own. Goroutines may call it at once: all get the same value, though make may
// then run more than once.
func (t *Template) Derived(key any, make func() any) any {
	if v, ok := t.derived.Load(key); ok {
		return v
	}
	v, _ := t.derived.LoadOrStore(key, make())
	return v
}
