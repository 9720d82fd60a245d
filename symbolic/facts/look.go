package facts

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const unpack = "unpack it, or compress it by gzip and let its name end in .gz"

// looks are the first bytes of formats, and what to do with a file of each that is read as
// another.
var looks = []struct{ begin, name, is, advice string }{
	{"PAR1\x15", "parquet", "a Parquet file", `write {"parquet": PATH, …} in the model`},
	{"SQLite format 3\x00", "sqlite", "an SQLite database", `write {"sql": "sqlite:PATH", "query": "SELECT …"} in the model`},
	{"PK\x03\x04", "", "a ZIP archive, as spreadsheets and .npz are", "unpack it, or export the sheet as CSV"},
	{"\x1f\x8b", "gzip", "compressed by gzip", "let its name end in .gz"},
	{"\x28\xb5\x2f\xfd", "", "compressed by Zstandard", unpack},
	{"\xfd7zXZ\x00", "", "compressed by xz", unpack},
	{"BZh91AY&SY", "", "compressed by bzip2", unpack},
	{"\xff\xfe", "", "UTF-16 text", "save it as UTF-8"},
	{"\xfe\xff", "", "UTF-16 text", "save it as UTF-8"},
}

// Mistaken returns an error for a file whose first bytes, 16 or all, are those of another format than the one
// wanted: parquet, sqlite, gzip or "" for text.
func Mistaken(path string, head []byte, want string) error {
	for _, l := range looks {
		if bytes.HasPrefix(head, []byte(l.begin)) && (l.name != want || want == "") {
			if strings.HasPrefix(l.is, "compressed") && (want == "parquet" || want == "sqlite") {
				l.advice = "unpack it" // no such file is read compressed
			}
			return &Error{Source: path, Line: 1, Col: 1, Msg: fmt.Sprintf("the file is %s (%s)", l.is, l.advice)}
		}
	}
	for _, l := range looks {
		empty := want == "sqlite" && len(head) == 0 // a database without tables
		if l.name == want && want != "" && !empty && !bytes.HasPrefix(head, []byte(l.begin[:min(4, len(l.begin))])) {
			return &Error{Source: path, Msg: fmt.Sprintf("the file is not %s, as its name or the model says, or it is cut off", l.is)}
		}
	}
	return nil
}

// unzipped reads what a file holds compressed by gzip.
type unzipped struct{ *gzip.Reader }

// Unzip returns a reader of what r holds compressed by gzip. Errors of reading say what the file is.
func Unzip(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("the file is not compressed by gzip, or it is cut off (%w)", err)
	}
	return unzipped{z}, nil
}

func (u unzipped) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("the compressed file is cut off or damaged: copy or write it again (%w)", err)
	}
	return n, err
}

// lookAt returns an error for a file that begins like another format than the one wanted.
func lookAt(path, want string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return &Error{Source: path, Msg: "this is a folder: name its files in the model, each as an element of the list"}
	}
	head := make([]byte, 16)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if strings.HasSuffix(path, ".gz") && want == "" {
		want = "gzip"
	}
	return Mistaken(path, head[:n], want)
}
