package tables

// Options are what the maker of a table gets from the command line.
type Options struct {
	// Data is the data root; empty means the default places.
	Data string
	// Dir is a folder for run folders and caches, made when needed.
	Dir string
	// Version is the program's, for the names of run folders: what one commit has
	// begun or ended, another must not pass for its own.
	Version string
	// Recipe chooses among a table's recipes ("paper", "best"); empty means all.
	Recipe string
	// Quick asks for the form that ends within ten minutes on two cores.
	Quick bool
	// Note is told of progress inside a run, a line at a time; never nil.
	Note func(line string)
}

// A Builder makes a table; it reads no data yet, or says what is missing.
type Builder func(Options) (*Table, error)
