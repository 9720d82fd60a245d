package ground

// Builder fills a Database and keeps the first error, after which it does nothing:
// for data that a program makes, where an error is a fault of the program. Predicates
// are declared with the arity of their first atom; Declare is for those without atoms.
type Builder struct {
	DB  *Database
	Err error
}

// NewBuilder returns a Builder of an empty database.
func NewBuilder() *Builder { return &Builder{DB: NewDatabase()} }

// Declare declares a predicate and reports whether there is no error yet.
func (b *Builder) Declare(pred string, arity int) bool {
	if b.Err == nil {
		b.Err = b.DB.Predicate(pred, arity)
	}
	return b.Err == nil
}

// Observe adds an observed atom that is true.
func (b *Builder) Observe(pred string, args ...string) {
	if b.Declare(pred, len(args)) {
		b.Err = b.DB.Observe(pred, 1, args...)
	}
}

// Deep adds a neural output and returns its column.
func (b *Builder) Deep(pred string, args ...string) (column int) {
	if b.Declare(pred, len(args)) {
		column, b.Err = b.DB.Deep(pred, args...)
	}
	return column
}

// Target adds a target and returns its column.
func (b *Builder) Target(pred string, args ...string) (column int) {
	if b.Declare(pred, len(args)) {
		column, b.Err = b.DB.Target(pred, args...)
	}
	return column
}
