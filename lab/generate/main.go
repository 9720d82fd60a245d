// Command generate makes the data of the examples from fixed seeds:
//
//	go run ./lab/generate examples
//
// The data are invented; what is true is known, so that the examples' answers
// can be judged. The files are part of the repository, a test compares them
// with what this command writes. Those of examples/cora are not:
//
//	go run ./lab/generate -cora examples
//
// makes them from the citation network Cora, below the data root (-data, else the variable
// HINGE_DATA) or fetched.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	papers := flag.Bool("cora", false, "make the data of examples/cora alone")
	root := flag.String("data", os.Getenv("HINGE_DATA"), "data root `folder` with Cora (also HINGE_DATA)")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: generate [-cora [-data FOLDER]] FOLDER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	make := generate
	if *papers {
		make = func(dir string) error { return cora(filepath.Join(dir, "cora", "data"), *root) }
	}
	if err := make(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// examples are the makers of data by folder.
var examples = map[string]func(*rand.Rand) dataset{
	"acquaintances":         acquaintances,
	"citation":              citation,
	"entity-resolution":     entityResolution,
	"link-prediction":       linkPrediction,
	"mnist-evenodd":         mnistEvenOdd,
	"mnist-half":            mnistHalf,
	"mnist-sudoku":          mnistSudoku,
	"mnist-xor":             mnistXOR,
	"neural-films":          neuralFilms,
	"neural-graph":          neuralGraph,
	"neural-mnist":          neuralMNIST,
	"pretrained":            pretrained,
	"similarity-regression": similarityRegression,
	"trust-prediction":      trustPrediction,
	"weight-learning":       weightLearning,
}

// dataset maps the names of data files to their rows.
type dataset map[string][][]string

// add appends a row; its fields are texts, integers or numbers.
func (d dataset) add(file string, fields ...any) {
	var row []string
	for _, f := range fields {
		switch f := f.(type) {
		case string:
			row = append(row, f)
		case int:
			row = append(row, strconv.Itoa(f))
		case float64:
			// Two digits are enough for people to read and to compare.
			row = append(row, strconv.FormatFloat(f, 'f', 2, 64))
		default:
			panic(fmt.Sprintf("generate: a field of type %T", f))
		}
	}
	d[file] = append(d[file], row)
}

// atom adds an atom: as observed with its value, or as a target with the value as truth. part ends
// the names of the files.
func (d dataset) atom(observed bool, predicate, part string, value any, arguments ...any) {
	file := predicate + "_obs" + part
	if !observed {
		d.add(predicate+"_targets"+part, arguments...)
		file = predicate + "_truth" + part
	}
	d.add(file, append(arguments, value)...)
}

// generate writes the data of all examples below a folder.
func generate(dir string) error {
	makers := map[string]func(data string, rng *rand.Rand) error{"patterns": writePatterns, "shop": shop}
	for name, make := range examples {
		makers[name] = func(data string, rng *rand.Rand) error { return make(rng).write(data) }
	}
	for name, make := range makers {
		data := filepath.Join(dir, name, "data")
		if err := os.MkdirAll(data, 0o777); err != nil {
			return err
		}
		// Each example has its own generator: changing one moves no other.
		if err := make(data, rand.New(rand.NewPCG(2024, hash(name)))); err != nil {
			return err
		}
	}
	return nil
}

// packed ends the names of files that are CSV compressed by gzip; others are text with tabs.
const packed = ".csv.gz"

// headers are the names of columns by what the names of packed files begin with.
var headers = map[string]string{"digits": "image,digit,true", "sums": "pair,sum,true"}

// write writes each file with its rows in order.
func (d dataset) write(dir string) error {
	for file, rows := range d {
		slices.SortFunc(rows, compareRows)
		separator, packs := "\t", strings.HasSuffix(file, packed)
		if packs {
			separator = ","
		} else {
			file += ".txt"
		}
		var b bytes.Buffer
		if kind, _, _ := strings.Cut(file, "_"); packs {
			b.WriteString(headers[kind] + "\n")
		}
		for _, row := range rows {
			b.WriteString(strings.Join(row, separator) + "\n")
		}
		if packs {
			var z bytes.Buffer
			w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
			if err == nil {
				_, err = b.WriteTo(w)
			}
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				return err
			}
			b = z
		}
		if err := os.WriteFile(filepath.Join(dir, file), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// compareRows orders rows field by field, numbers by value.
func compareRows(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		i, errX := strconv.Atoi(x)
		j, errY := strconv.Atoi(y)
		if errX == nil && errY == nil {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(x, y)
	})
}

// hash turns a name into a seed.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// chance is true with probability p.
func chance(rng *rand.Rand, p float64) bool { return rng.Float64() < p }

// truth is 1 or 0.
func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// clamp brings a number into [0, 1].
func clamp(v float64) float64 { return min(max(v, 0), 1) }
