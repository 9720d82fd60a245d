package ground

// Section is a role of atoms in data.
type Section uint8

const (
	// Observations are atoms with a value, 1 unless written.
	Observations Section = iota
	// Targets are the atoms to infer.
	Targets
	// DeepAtoms are the neural outputs.
	DeepAtoms
	// Truths are the true values of atoms.
	Truths
)

// Add adds an atom in a section by Observe, Target, Deep or Truth. Targets and DeepAtoms ignore
// value.
func (db *Database) Add(section Section, pred string, value float64, args ...string) (err error) {
	switch section {
	case Observations:
		return db.Observe(pred, value, args...)
	case Targets:
		_, err = db.Target(pred, args...)
	case DeepAtoms:
		_, err = db.Deep(pred, args...)
	default:
		return db.Truth(pred, value, args...)
	}
	return err
}
