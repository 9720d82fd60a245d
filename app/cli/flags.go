package cli

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hinge/nn/kernel"
	"hinge/symbolic/facts"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train"
	"hinge/train/exit"
	"hinge/train/machine"
)

// UsageError is a mistake on the command line.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// CodeError is an error with the exit code of the command that ends with it.
type CodeError struct {
	Code int
	Text string
}

func (e *CodeError) Error() string { return e.Text }

// WithCode returns a CodeError.
func WithCode(code int, text string) error { return &CodeError{code, text} }

// Usage returns a UsageError.
func Usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// NoneOf returns a UsageError for a flag with a value that it cannot have. The message lists
// the possible values and names the one nearest to the given value.
func NoneOf(name, value string, values []string) error {
	return Usage("-%s %q is none of %s%s", name, value, strings.Join(values, ", "), DidYouMean(value, "", values))
}

// DidYouMean is the end of a message about a word that is none of those known: it names the
// nearest, with before in front of it, and is "" where none is like the word. Any two words of a
// letter or two are alike.
func DidYouMean(word, before string, known []string) string {
	if near := psl.Nearest(word, known); near != "" && len(word) > 2 {
		return "; did you mean " + before + near + "?"
	}
	return ""
}

// ExitCode returns the exit code of a command that ends with the error err.
func ExitCode(err error) int {
	switch {
	case errors.As(err, new(*facts.Error)): // before the *UsageError that it may hold
		return exit.Data
	case errors.As(err, new(*UsageError)), errors.As(err, new(*model.Error)), errors.As(err, new(*psl.Error)):
		return exit.Usage
	}
	code := train.ExitCode(err)
	if own, ok := errors.AsType[*CodeError](err); ok && code == exit.Internal {
		return own.Code
	}
	return code
}

// Exit returns the exit code of a command with the given name. An error is printed to stderr
// on a line that begins with the name, and decides the code; after -h and -version the code is
// 0. Without an error it is code.
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

// fileEndings are endings of the files that the commands, their neighbours and spreadsheets write.
var fileEndings = strings.Fields(".json .jsonl .csv .tsv .txt .parquet .db .psl .xls .xlsx .onnx .safetensors .html .pt .gz")

// Folder returns a UsageError where the value of -out, which names a folder, is the name of a file: it ends like
// one, and there is no folder of that name. instead says what writes files.
func Folder(out, instead string) error {
	end := filepath.Ext(out)
	if info, err := os.Stat(out); !slices.Contains(fileEndings, strings.ToLower(end)) || err == nil && info.IsDir() {
		return nil
	}
	return Usage("-out %s has the name of a file, and names a folder here: write -out %s; %s", out, strings.TrimSuffix(out, end), instead)
}

// Beside returns a UsageError for a flag that is given beside one that knows others alone, if that is given too;
// message has a place for its name.
func Beside(given bool, set map[string]bool, message string, known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if given && !slices.Contains(known, name) {
			return Usage(message, name)
		}
	}
	return nil
}

// PrintJSON writes a value as one JSON object, indented, for people and programs.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Several defines a flag that may be given several times; its texts are appended to a list.
func Several(f *flag.FlagSet, to *[]string, name, usage string) {
	f.Func(name, usage, func(text string) error { *to = append(*to, text); return nil })
}

// Parse reads args into the flags of f, whose name is the name of the command, and returns the
// names of the flags that were given. -h writes the usage line and the flags to w and returns
// flag.ErrHelp. Every command also has -version, which prints one line to standard output and
// returns flag.ErrHelp. Any other error is a *UsageError; an argument that is not a flag is
// such an error too.
func Parse(f *flag.FlagSet, args []string, usage string, w io.Writer) (map[string]bool, error) {
	set, err := ParseFlags(f, args, usage, w)
	if err == nil && f.NArg() > 0 {
		return nil, Usage("unexpected argument %q; %s -h lists the flags", f.Arg(0), f.Name())
	}
	return set, err
}

// ParseFlags does what Parse does for a command that takes arguments; f.Args returns the
// arguments afterwards.
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
			hint = DidYouMean(name, "-", names)
		}
		return nil, Usage("%v; %s -h lists the flags%s", err, f.Name(), hint)
	}
	if *version {
		fmt.Println(machine.Describe(f.Name(), fmt.Sprintf("kernels %s of %s", kernel.Path(), strings.Join(kernel.Paths(), ", "))))
		return nil, flag.ErrHelp
	}
	set := map[string]bool{}
	f.Visit(func(f *flag.Flag) { set[f.Name] = true })
	return set, swallowed(f, args[:len(args)-f.NArg()])
}

// swallowed returns an error where a flag has no value: it has taken the flag behind it, or an empty text, as of a variable that
// a shell does not have.
func swallowed(f *flag.FlagSet, args []string) error {
	wants := "" // the flag whose value the next argument is
	for _, arg := range args {
		if wants != "" && arg == "" {
			return empty(f, wants)
		}
		name, dash := strings.CutPrefix(arg, "-")
		name, value, whole := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		this := f.Lookup(name)
		if !dash || this == nil && name != "h" && name != "help" {
			wants = ""
			continue
		}
		if wants != "" {
			return Usage("-%s has no value, as %s is a flag; write -%s=%s if that is the value", wants, arg, wants, arg)
		}
		// "" stands for a truth value, which takes no argument.
		switch takes, _ := flag.UnquoteUsage(&flag.Flag{Value: this.Value}); {
		case takes == "":
		case !whole:
			wants = name
		case value == "":
			return empty(f, name)
		}
	}
	return nil
}

func empty(f *flag.FlagSet, name string) error {
	hint := ""
	if f.Lookup("set") != nil {
		hint = "; -set KEY= empties a setting"
	}
	return Usage("the value of -%s is empty: give one, or leave the flag out%s", name, hint)
}
