package citation

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

const (
	// maxLine bounds a line of the content file: a paper's name, its class and
	// two bytes a word. CiteSeer has 3,703 words.
	maxLine = 1 << 20
	// maxPapers bounds the number of papers of a graph.
	maxPapers = 1 << 20
)

// ReadLINQS parses the two files of a LINQS citation network:
//
//	content: paper TAB word₁ TAB … TAB word_n TAB class    (words are 0 or 1)
//	cites:   cited paper TAB citing paper
//
// Papers are numbered by their lines, classes by the alphabet. Citations that
// name an unknown paper, or the same paper twice, are left out and counted in
// Graph.Skipped: the original CiteSeer has 17 and 124 of them. Any other fault
// is an error with the line's number.
func ReadLINQS(name string, content, cites io.Reader) (*Graph, error) {
	g := &Graph{Name: name, WordPtr: []int{0}}
	number, err := g.readContent(content)
	if err != nil {
		return nil, fmt.Errorf("citation: %s.content: %w", name, err)
	}
	if err := g.readCites(cites, number); err != nil {
		return nil, fmt.Errorf("citation: %s.cites: %w", name, err)
	}
	return g, g.Check()
}

// readContent reads the papers and returns their numbers.
func (g *Graph) readContent(r io.Reader) (map[string]int32, error) {
	number := make(map[string]int32)
	var classes []string
	err := eachLine(r, func(line []byte) error {
		first, last := bytes.IndexByte(line, '\t'), bytes.LastIndexByte(line, '\t')
		if first < 1 || first == last || last+1 == len(line) {
			return fmt.Errorf("want paper, words and class with tabs between")
		}
		words := line[first+1 : last]
		count := (len(words) + 1) / 2
		if len(g.IDs) == 0 {
			g.Words = count
		}
		if count != g.Words || len(words)%2 == 0 {
			return fmt.Errorf("%d words, the first paper has %d", count, g.Words)
		}
		for k := range count {
			if k > 0 && words[2*k-1] != '\t' {
				return fmt.Errorf("word %d is not 0 or 1", k)
			}
			switch words[2*k] {
			case '0':
			case '1':
				g.WordCol = append(g.WordCol, int32(k))
			default:
				return fmt.Errorf("word %d is not 0 or 1", k+1)
			}
		}
		id := string(line[:first])
		if _, twice := number[id]; twice {
			return fmt.Errorf("paper %q is there twice", id)
		}
		if len(g.IDs) == maxPapers {
			return fmt.Errorf("more than %d papers", maxPapers)
		}
		number[id] = int32(len(g.IDs))
		g.IDs = append(g.IDs, id)
		g.WordPtr = append(g.WordPtr, len(g.WordCol))
		classes = append(classes, string(line[last+1:]))
		return nil
	})
	if err == nil && len(g.IDs) == 0 {
		err = fmt.Errorf("no papers")
	}
	if err != nil {
		return nil, err
	}
	g.Classes = slices.Compact(slices.Sorted(slices.Values(classes)))
	for _, c := range classes {
		k, _ := slices.BinarySearch(g.Classes, c)
		g.Labels = append(g.Labels, k)
	}
	return number, nil
}

func (g *Graph) readCites(r io.Reader, number map[string]int32) error {
	return eachLine(r, func(line []byte) error {
		cited, citing, ok := bytes.Cut(line, []byte{'\t'})
		if !ok || len(cited) == 0 || len(citing) == 0 || bytes.IndexByte(citing, '\t') >= 0 {
			return fmt.Errorf("want two papers with a tab between")
		}
		to, known := number[string(cited)]
		from, also := number[string(citing)]
		switch {
		// A self-citation of a paper without content counts as one.
		case bytes.Equal(cited, citing):
			g.Skipped.Self++
		case !known || !also:
			g.Skipped.Unknown++
		default:
			g.Cites = append(g.Cites, Cite{Citing: from, Cited: to})
		}
		return nil
	})
}

// eachLine calls f with every line, without its end and without a byte order mark.
func eachLine(r io.Reader, f func(line []byte) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), maxLine)
	n := 0
	for in.Scan() {
		line := bytes.TrimSuffix(in.Bytes(), []byte{'\r'})
		if n++; n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := f(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("after line %d: %w", n, err)
	}
	return nil
}

// OpenLINQS is ReadLINQS of the files NAME.content and NAME.cites of a folder,
// plain or with .gz. Unlike Load it takes any files of that form as they are.
func OpenLINQS(name, dir string) (*Graph, error) {
	var files [2]io.ReadCloser
	for i, suffix := range []string{".content", ".cites"} {
		f, _, err := open(filepath.Join(dir, name+suffix))
		if err != nil {
			return nil, fmt.Errorf("citation: %w", err)
		}
		defer f.Close()
		files[i] = f
	}
	g, err := ReadLINQS(name, files[0], files[1])
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, dir)
	}
	g.Source = dir
	return g, nil
}
