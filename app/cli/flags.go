package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"hinge/nn/kernel"
	"hinge/symbolic/psl"
	"hinge/train"
	"hinge/train/exit"
	"hinge/train/machine"
)

// UsageError is a mistake on the command line.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Usage returns a UsageError.
func Usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// NoneOf returns the UsageError of a flag whose value is none of those it can have: it lists
// them, and names the nearest.
func NoneOf(name, value string, values []string) error {
	return Usage("-%s %q is none of %s%s", name, value, strings.Join(values, ", "), nearest(value, "", values))
}

// nearest is the end of a message about a word that is none of those known, "" where none is
// like it. Any two words of a letter or two are alike.
func nearest(word, before string, known []string) string {
	if near := psl.Nearest(word, known); near != "" && len(word) > 2 {
		return "; did you mean " + before + near + "?"
	}
	return ""
}

// ExitCode is the exit code of a command that ends with err.
func ExitCode(err error) int {
	if errors.As(err, new(*UsageError)) {
		return exit.Usage
	}
	return train.ExitCode(err)
}

// Exit ends the command name: it prints err, on a line that begins with the name, and returns its
// exit code. Without an error the code is code, after -h and -version 0.
func Exit(name string, stderr io.Writer, code int, err error) int {
	switch {
	case err == nil:
		return code
	case errors.Is(err, flag.ErrHelp):
		return exit.OK
	}
	fmt.Fprintf(stderr, "%s: %s\n", name, strings.TrimPrefix(err.Error(), name+": "))
	return ExitCode(err)
}

// Parse reads args into the flags of f, whose name is the command that has them,
// and returns the names of those that were given. -h writes the line usage and the
// flags to w and returns flag.ErrHelp, as does -version, which every command has and which
// prints a line to standard output; any other error is a *UsageError, an argument that is
// no flag among them.
func Parse(f *flag.FlagSet, args []string, usage string, w io.Writer) (map[string]bool, error) {
	set, err := ParseFlags(f, args, usage, w)
	if err == nil && f.NArg() > 0 {
		return nil, Usage("unexpected argument %q; %s -h lists the flags", f.Arg(0), f.Name())
	}
	return set, err
}

// ParseFlags is Parse for a command that takes arguments, which f.Args then returns.
func ParseFlags(f *flag.FlagSet, args []string, usage string, w io.Writer) (map[string]bool, error) {
	f.Init(f.Name(), flag.ContinueOnError)
	f.SetOutput(io.Discard) // the commands print errors themselves
	version := f.Bool("version", false, "print release, commit and the kernels in use, and exit")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			f.SetOutput(w)
			fmt.Fprintln(w, "usage:", usage)
			f.PrintDefaults()
			return nil, err
		}
		hint := ""
		if _, name, ok := strings.Cut(err.Error(), "flag provided but not defined: -"); ok {
			var names []string
			f.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
			hint = nearest(name, "-", names)
		}
		return nil, Usage("%v; %s -h lists the flags%s", err, f.Name(), hint)
	}
	if *version {
		fmt.Println(machine.Describe(f.Name(), fmt.Sprintf("kernels %s of %s", kernel.Path(), strings.Join(kernel.Paths(), ", "))))
		return nil, flag.ErrHelp
	}
	set := map[string]bool{}
	f.Visit(func(f *flag.Flag) { set[f.Name] = true })
	return set, nil
}
