package facts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// looks are the first bytes of formats, and what to do with a file of each that is read as
// another.
var looks = []struct{ begin, name, is, advice string }{
	{"PAR1", "parquet", "a Parquet file", `write {"parquet": PATH, …} in the model`},
	{"SQLite format 3\x00", "sqlite", "an SQLite database", `write {"sql": "sqlite:PATH", "query": "SELECT …"} in the model`},
	{"PK\x03\x04", "", "a ZIP archive, as spreadsheets are", "unpack it, or export the sheet as CSV"},
	{"\x1f\x8b", "gzip", "compressed by gzip", "let its name end in .gz"},
	{"\xff\xfe", "", "UTF-16 text", "save it as UTF-8"},
	{"\xfe\xff", "", "UTF-16 text", "save it as UTF-8"},
}

// look names the other format that the first bytes of a file belong to, with advice; "" for
// text. want is the expected format: parquet, sqlite, gzip or "" for text.
func look(head []byte, want string) (is, advice string) {
	for _, l := range looks {
		if bytes.HasPrefix(head, []byte(l.begin)) {
			if l.name == want && want != "" {
				return "", ""
			}
			return l.is, l.advice
		}
	}
	return "", ""
}

// lookAt returns an error for a file that begins like another format than the one wanted.
func lookAt(path, want string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 16)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if strings.HasSuffix(path, ".gz") && want == "" {
		want = "gzip"
	}
	if is, advice := look(head[:n], want); is != "" {
		return &Error{Source: path, Line: 1, Col: 1, Msg: fmt.Sprintf("the file is %s (%s)", is, advice)}
	}
	return nil
}
