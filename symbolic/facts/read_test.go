package facts_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

// file writes a file into a folder of the test.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// rows reads a source into one text.
func rows(src *facts.Source, arity int) (string, error) {
	var b strings.Builder
	err := src.Read(context.Background(), arity, func(r *facts.Row) error {
		fmt.Fprintf(&b, "%q=%v ", r.Args, r.Value)
		return nil
	})
	return strings.TrimSpace(b.String()), err
}

func TestCSV(t *testing.T) {
	stars := &facts.Column{Name: "stars"}
	for _, c := range []struct {
		name, text, want string
		src              facts.Source
	}{
		{"wanted with spaces", "kind,user,item\n rating ,u,i\nother,v,i\n", `["u" "i"]=1`, facts.Source{Columns: facts.Named("user", "item"), Where: []facts.Condition{{Column: facts.Column{Name: "kind"}, Text: "rating"}}}},
		{"a scale of large numbers", "user,item,v\nu,i,1714979289\nv,i,1714979352\n", `["u" "i"]=0 ["v" "i"]=1`, facts.Source{Scale: facts.Between(1714979289, 1714979352)}},
		{"carriage returns alone", "user,item\ru,\"i\rj\"\rv,k\r", `["u" "i\rj"]=1 ["v" "k"]=1`, facts.Source{}},
		{"line ends between quotes", "user,item\r\nu,\"i\r\nj\"\r\n\"v\r\n\r\nw\",k\r\n", `["u" "i\r\nj"]=1 ["v\r\n\r\nw" "k"]=1`, facts.Source{}},
		{"by name", "stars,item,user\n5,i1,u1\n2,i2,u1\n", `["u1" "i1"]=1 ["u1" "i2"]=0.25`,
			facts.Source{Columns: facts.Named("user", "item"), Value: stars, Scale: facts.Between(1, 5)}},
		{"reversed scale", "user,item,stars\nu,i,1\nu,j,5\n", `["u" "i"]=1 ["u" "j"]=0`, facts.Source{Scale: facts.Between(5, 1)}},
		{"factor and shift", "user,item,stars\nu,i,-10\nu,j,10\n", `["u" "i"]=0 ["u" "j"]=1`, facts.Source{Scale: facts.Scale{Factor: 0.05, Shift: 0.5}}},
		{"by default", "user,item\nu1,i1\n", `["u1" "i1"]=1`, facts.Source{}},
		{"a value by default", "user,item,v\nu1,i1,0.5\n", `["u1" "i1"]=0.5`, facts.Source{}},
		{"named without value", "user,item,v\nu1,i1,0.5\n", `["u1" "i1"]=1`, facts.Source{Columns: facts.Named("user", "item")}},
		{"no header", "u1,i1\nu2,i2\n", `["u1" "i1"]=1 ["u2" "i2"]=1`, facts.Source{NoHeader: true}},
		{"by number", "x,u1,i1\n", `["i1" "u1"]=1`, facts.Source{NoHeader: true, Columns: []facts.Column{{Number: 3}, {Number: 2}}}},
		{"quotes", "user,item\n\"a, b\",\"say \"\"hi\"\"\"\n\"two\nlines\",i\n", `["a, b" "say \"hi\""]=1 ["two\nlines" "i"]=1`, facts.Source{}},
		{"separator, mark, spaces, line ends", "\uFEFFuser; item\r\n u1 ;i1\r\n", `["u1" "i1"]=1`, facts.Source{Separator: ';', Columns: facts.Named("user", "item")}},
		{"mark before quotes", "\uFEFF\"user\",\"item\"\nu,\"i, 2\"\n", `["u" "i, 2"]=1`, facts.Source{Columns: facts.Named("user", "item")}},
		{"other letters", "User,Item\nu,i\n", `["u" "i"]=1`, facts.Source{Columns: facts.Named("user", "item")}},
		{"its own letters among others", "ID,Id,id\nu,i,j\n", `["i" "j"]=1`, facts.Source{Columns: facts.Named("Id", "id")}},
		{"null left out", "user,item,stars\nu,,1\nu,NA,1\nu,i,1\nu,j,\n", `["u" "i"]=1`, facts.Source{SkipNull: true, Null: []string{"NA"}}},
		{"where", "kind,user,item\na,u,i\nb,u,j\n", `["u" "i"]=1`,
			facts.Source{Columns: facts.Named("user", "item"), Where: []facts.Condition{{Column: facts.Column{Name: "kind"}, Text: "a"}}}},
		{"truth values", "user,item,stars\nu,i,TRUE\nu,j,false\n", `["u" "i"]=1 ["u" "j"]=0`, facts.Source{}},
		{"empty", "", "", facts.Source{}},
		{"header alone", "user,item\n", "", facts.Source{}},
		{"a name that Parquet files begin with", "PAR1,item\nu,i\n", `["u" "i"]=1`, facts.Source{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.src.Format, c.src.Path = "csv", file(t, "x.csv", c.text)
			if got, err := rows(&c.src, 2); err != nil || got != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestCSVErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		src              facts.Source
	}{
		{"value", "user,item,stars\nu,i,1\nü,\"j\",six\n", `x.csv:3:8: stars: the value "six" is not a number`, facts.Source{}},
		{"out of range", "user,item,stars\nu,i,3\n", `x.csv:2:5: stars: the value 3 is not in [0, 1] ("scale": [LOW, HIGH] in the model takes LOW to 0 and HIGH to 1)`, facts.Source{}},
		{"out of scale", "user,item,stars\nu,i,6\n", `x.csv:2:5: stars: the value 6 becomes 1.25 by its scale, which is not in [0, 1]`, facts.Source{Scale: facts.Between(1, 5)}},
		{"hardly out of scale", "user,item,stars\nu,i,5.0000004\n", `x.csv:2:5: stars: the value 5.0000004 becomes 1.0000001 by its scale, which is not in [0, 1]`, facts.Source{Scale: facts.Between(1, 5)}},
		{"decimal comma", "user,item,stars\nu,i,\"0,75\"\n", `x.csv:2:5: stars: the value "0,75" is not a number (write decimals with a point, 0.75, and thousands without commas)`, facts.Source{}},
		{"NaN", "user,item,stars\nu,i,NaN\n", `x.csv:2:5: stars: the value "NaN" is not a number`, facts.Source{}},
		{"underscores", "user,item,stars\nu,i,0_1\n", `x.csv:2:5: stars: the value "0_1" is not a number`, facts.Source{}},
		{"empty argument", "user,item\nu,\n", `x.csv:2:3: item: nothing is here ("null": true in the model leaves such rows out)`, facts.Source{}},
		{"a name of two lines", "user,item,\"stars\n(1-5)\"\nu,i,six\n", `x.csv:3:5: "stars\n(1-5)": the value "six" is not a number`, facts.Source{}},
		{"fields", "user,item\nu,i\n\nu\n", `x.csv:4:1: the row has 1 field, the first row has 2`, facts.Source{}},
		{"width", "user,item,a,b\nu,i,1,1\n", `x.csv has 4 columns for 2 arguments: user, item, a, b (name those of the arguments in "columns", that of the value in "value")`, facts.Source{}},
		{"scale of columns without a value", "user,item,stars\nu,i,3\n", `x.csv has a scale, but no value: all its atoms would be 1 (name the column in "value")`, facts.Source{Columns: facts.Named("user", "item"), Scale: facts.Between(1, 5)}},
		{"scale without a value", "user,item\nu,i\n", `x.csv has a scale, but no value: all its atoms would be 1 (name the column in "value")`, facts.Source{Scale: facts.Between(1, 5)}},
		{"value before arguments", "stars,user,item\n3,u,i\n", `x.csv: the value is column 1, but the first 2 are the arguments (name theirs in "columns")`, facts.Source{Value: &facts.Column{Name: "stars"}, Scale: facts.Between(1, 5)}},
		{"no column", "user_id,item_id\nu,i\n", `x.csv has no column "userid" (did you mean user_id?)`, facts.Source{Columns: facts.Named("userid", "item_id")}},
		{"separator", "user;item\nu;i\n", `x.csv has no column "user" (it has user;item); the first line has ";": "separator": ";"?`, facts.Source{Columns: facts.Named("user", "item")}},
		{"two columns", "id,id\nu,i\n", `x.csv has two columns "id": choose one by its number`, facts.Source{Columns: facts.Named("id", "id")}},
		{"two columns in other letters", "ID,Id,v\nu,i,1\n", `x.csv has two columns like "id", "ID" and "Id": choose one by its letters or its number`, facts.Source{Columns: facts.Named("id", "v")}},
		{"number", "u,i\n", `x.csv has no column 3, it has 2`, facts.Source{NoHeader: true, Columns: []facts.Column{{Number: 1}, {Number: 3}}}},
		{"bare quote", "user,item\nu,5\" disc\n", `x.csv:2:4: a quote in a field that does not begin with one (double it, and put the field in quotes)`, facts.Source{}},
		{"open quote", "user,item\nu,\"i\nu,j\n", `a quoted field that began on line 2 does not end before a separator (double the quotes within it)`, facts.Source{}},
		{"not UTF-8", "user,item\nu,\xff\n", `x.csv:2:3: item: the field is not UTF-8 text`, facts.Source{}},
		{"Parquet", "PAR1\x15\x04..", `x.csv:1:1: the file is a Parquet file (write {"parquet": PATH, …} in the model)`, facts.Source{}},
		{"spreadsheet", "PK\x03\x04....", `x.csv:1:1: the file is a ZIP archive, as spreadsheets and .npz are (unpack it, or export the sheet as CSV)`, facts.Source{}},
		{"Zstandard", "\x28\xb5\x2f\xfd\x24\x0fy\x00\x00a,b,v", `x.csv:1:1: the file is compressed by Zstandard (unpack it, or compress it by gzip and let its name end in .gz)`, facts.Source{}},
		{"xz", "\xfd7zXZ\x00\x00\x04", `x.csv:1:1: the file is compressed by xz (unpack it, or compress it by gzip and let its name end in .gz)`, facts.Source{}},
		{"bzip2", "BZh91AY&SY\xb1\x51", `x.csv:1:1: the file is compressed by bzip2 (unpack it, or compress it by gzip and let its name end in .gz)`, facts.Source{}},
		{"UTF-16", "\xff\xfeu\x00", `x.csv:1:1: the file is UTF-16 text (save it as UTF-8)`, facts.Source{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, "x.csv", c.text)
			c.src.Format, c.src.Path = "csv", path
			_, err := rows(&c.src, 2)
			if err == nil || !strings.HasSuffix(strings.ReplaceAll(err.Error(), path, "x.csv"), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// A compressed Parquet file or database is to be unpacked: by gzip, too, it is not read.
func TestCompressedWhole(t *testing.T) {
	for text, want := range map[string]string{"\x1f\x8b\x08\x00": "gzip", "BZh91AY&SY\xb1\x51": "bzip2"} {
		for _, format := range []string{"parquet", "sqlite"} {
			err := facts.Mistaken("x.gz", []byte(text), format)
			if want := "x.gz:1:1: the file is compressed by " + want + " (unpack it)"; err == nil || err.Error() != want {
				t.Errorf("%s: got %v\nwant %s", format, err, want)
			}
		}
	}
}

// A file that is not what its name or the model says, or that is cut off, is told as such.
func TestCutOff(t *testing.T) {
	const other = ": the file is not compressed by gzip, as its name or the model says, or it is cut off"
	for _, c := range []struct{ name, text, want string }{
		{"x.csv.gz", "", other}, {"x.csv.gz", "user,item\nu,i\n", other},
		{"x.jsonl.gz", "\x1f\x8b\x08", ": the file is not compressed by gzip, or it is cut off (unexpected EOF)"},
		{"x.tsv.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x4a", ": the compressed file is cut off or damaged: copy or write it again (unexpected EOF)"},
		{"x.parquet", "user,item\nu,i\n", ": the file is not a Parquet file, as its name or the model says, or it is cut off"},
		{"x.jsonl", "user,item\n", ":1:1: invalid character 'u' looking for beginning of value: want one JSON object or list a line"},
		{"x.csv", "\x00\xff,item\nu,i\n", ` has no column "user" (it has "\x00\xfe", item)`},
	} {
		path := file(t, c.name, c.text)
		format, _, _ := strings.Cut(c.name[2:], ".")
		_, err := rows(&facts.Source{Format: format, Path: path, Columns: facts.Named("user", "item")}, 2)
		if err == nil || strings.TrimPrefix(err.Error(), path) != c.want {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// A folder of several files, as Spark and pyarrow.dataset write, is no file.
func TestFolders(t *testing.T) {
	for _, format := range []string{"tsv", "csv", "jsonl", "parquet"} {
		dir := t.TempDir()
		_, err := rows(&facts.Source{Format: format, Path: dir}, 2)
		if want := dir + ": this is a folder: name its files in the model, each as an element of the list"; err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

func TestJSONL(t *testing.T) {
	nested := facts.Source{Columns: facts.Named("user.id", "item"), Value: &facts.Column{Name: "stars"}, Scale: facts.Between(1, 5)}
	sparse := nested
	sparse.SkipNull = true
	for _, c := range []struct {
		name, text, want, err string
		src                   facts.Source
	}{
		{"objects", "{\"user\": {\"id\": 7}, \"item\": \"ä\\n\", \"stars\": 3}\n\n{\"item\": true, \"user.id\": 1e3, \"stars\": \"5\"}", `["7" "ä"]=0.5 ["1000" "true"]=1`, "", nested},
		{"numbers", "[1234567.89, 12.0]\n[1714979289123456, 1e-5]\n[-0, -0.0]", `["1234567.89" "12"]=1 ["1714979289123456" "1e-05"]=1 ["0" "0"]=1`, "", facts.Source{}},
		{"lists", "[\"a\", 1]\n[\"b\", 2]\n", `["a" "1"]=1 ["b" "2"]=1`, "", facts.Source{}},
		{"lists with values", "[\"a\", 1, 0.5]\n", `["a" "1"]=0.5`, "", facts.Source{}},
		{"a longer list", "[\"a\", 1]\n[\"b\", 2, 0.3]\n", "", `x:2:1: the list has 3 elements, that of the first row has 2`, facts.Source{}},
		{"a longer list, columns by number", "[\"a\", 1]\n[\"b\", 2, 0.3]\n", `["1" "a"]=1 ["2" "b"]=1`, "", facts.Source{Columns: []facts.Column{{Number: 2}, {Number: 1}}}},
		{"null", "{\"user\": null, \"item\": 1, \"stars\": 1}\n", "", `x:1:1: user.id: nothing is here ("null": true in the model leaves such rows out)`, nested},
		{"null left out", "{\"user\": null, \"item\": 1, \"stars\": 1}\n{\"item\": 3}\n{\"user\": {\"id\": 1}, \"item\": 1, \"stars\": 1}", `["1" "1"]=0`, "", sparse},
		{"an empty text", "[\"\", 1]\n", "", `x:1:1: column 1: the text is empty ("null": "" in the model leaves such rows out)`, facts.Source{SkipNull: true}},
		{"an empty text left out", "[\"\", 1]\n[\"a\", 2]\n", `["a" "2"]=1`, "", facts.Source{SkipNull: true, Null: []string{""}}},
		{"no key", "{\"user\": {\"id\": 1}, \"itm\": 1}\n", "", `x:1:1: item: the object has no key "item" (did you mean itm?)`, nested},
		{"a list as an argument", "{\"user\": {\"id\": [1]}, \"item\": 1}\n", "", `x:1:1: user.id: want a text, a number or a truth value, not a list or an object`, nested},
		// RFC 8259: "The names within an object SHOULD be unique", and what else readers make of them differs.
		{"a key twice", "{\"item\": \"a:b\\\":\", \"user\": {\"id\": 1}, \"stars\": 1}\n{\"item\": 1, \"item\": 2}\n", `["1" "a:b\":"]=0`, `x:2:1: the key "item" is twice in an object`, nested},
		{"a key twice, written otherwise, within", "{\"x\": [{\"y\": 1}, {\"y\": 2, \"\": \"\"}], \"user\": {\"id\": 1, \"\\u0069d\": {\"id\": 2}}}\n", "", `x:1:1: the key "id" is twice in an object`, nested},
		{"a pair of surrogates", "[\"\\ud83d\\ude00\\\\ud800\", 1]\n", `["😀\\ud800" "1"]=1`, "", facts.Source{}},
		{"half a pair of surrogates", "[\"a\", 1]\n[\"\\ud800\", 1]\n", "", `x:2:1: \ud800 is half a pair of surrogates, which is no character`, facts.Source{}},
		{"the other half", "[\"\\uDE00\\ud83d\", 1]\n", "", `x:1:1: \uDE00 is half a pair of surrogates, which is no character`, facts.Source{}},
		{"half a pair and a character", "[\"\\ud83d\\u0041\", 1]\n", "", `x:1:1: \ud83d is half a pair of surrogates, which is no character`, facts.Source{}},
		{"half a pair and what looks like the other", "[\"\\ud83dxude00\", 1]\n", "", `x:1:1: \ud83d is half a pair of surrogates, which is no character`, facts.Source{}},
		{"half a pair at the end", "[1, \"\\ud83d\"]\n", "", `x:1:1: \ud83d is half a pair of surrogates, which is no character`, facts.Source{}},
		{"half a pair before another", "[\"\\ud83d\\ud83d\\ude00\", 1]\n", "", `x:1:1: \ud83d is half a pair of surrogates, which is no character`, facts.Source{}},
		{"no columns", "{\"user\": 1}\n", "", `x: the rows are objects: name the 2 "columns" of the arguments, and "value"`, facts.Source{}},
		{"no JSON", "{\"item\": 1}\nuser\n", "", `x:2:1: invalid character 'u' looking for beginning of value: want one JSON object or list a line`, sparse},
		{"not a number", "[1, 0.5]\n {\"a\": NaN}\n", "", `x:2:1: JSON has no numbers NaN and Infinity: write a finite number, or leave the row out`, facts.Source{}},
		{"infinite", "[1, Infinity]\n", "", `x:1:1: JSON has no numbers NaN and Infinity: write a finite number, or leave the row out`, facts.Source{}},
		{"infinite, negative", "[1, 0.5]\n[1, -Infinity]\n", "", `x:2:1: JSON has no numbers NaN and Infinity: write a finite number, or leave the row out`, facts.Source{}},
		{"one list of all", "[\n[1,2]\n]\n", "", `x:1:1: the value does not end on its line: want one JSON object or list a line`, facts.Source{}},
		{"two a line", "[1,2] [3,4]\n", "", `x:1:1: there is more behind the value: want one JSON object or list a line`, facts.Source{}},
		{"a number", "3\n", "", `x:1:1: want a JSON object or list`, facts.Source{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, "x.jsonl", c.text)
			c.src.Format, c.src.Path = "jsonl", path
			got, err := rows(&c.src, 2)
			if text := strings.ReplaceAll(fmt.Sprint(err), path, "x"); c.err != "" && text != c.err || c.err == "" && (err != nil || got != c.want) {
				t.Errorf("got %s, %s\nwant %s%s", got, text, c.want, c.err)
			}
		})
	}
}

func TestCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv.gz")
	f, err := os.Create(path)
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	z.Write([]byte("a,b\nx,y\n"))
	z.Close()
	f.Close()
	if got, err := rows(&facts.Source{Format: "csv", Path: path}, 2); err != nil || got != `["x" "y"]=1` {
		t.Errorf("%s, %v", got, err)
	}
	plain := strings.TrimSuffix(path, ".gz")
	require.NoError(t, os.Rename(path, plain))
	if _, err := rows(&facts.Source{Format: "csv", Path: plain}, 2); err == nil || !strings.Contains(err.Error(), "compressed by gzip (let its name end in .gz)") {
		t.Errorf("%v", err)
	}
}

// TestAddresses: no error and no name of an address holds a password.
func TestAddresses(t *testing.T) {
	t.Setenv("SHOP_DATABASE", "postgres://ann:s3cret@localhost:1/shop?sslpassword=s3cret")
	t.Setenv("BAD_URL", "postgres://ann:s3cret@local host:x/shop")
	t.Setenv("OTHER", "host=localhost password=s3cret")
	for text, want := range map[string]string{
		"sqlite:shop.db":                            "",
		"postgres://ann@localhost/shop":             "",
		"env:SHOP_DATABASE":                         "",
		"env:NOT_SET":                               "the environment variable NOT_SET, which names a database, is not set",
		"env:OTHER":                                 "the environment variable OTHER holds no address",
		"env:BAD_URL":                               "the environment variable BAD_URL holds an address that is no URL",
		"sqlite:":                                   "is no address of a database: want sqlite:FILE",
		"mysql://x":                                 "is no address of a database: want sqlite:FILE",
		"postgres://ann:s3cret@localhost/shop":      "holds a password, which would be stored and shown",
		"postgres://ann:s3cret@local host/x":        "is no URL",
		"postgres://localhost/shop?password=s3cret": "holds a password",
	} {
		a, err := facts.ParseAddress(text)
		switch {
		case want == "" && (err != nil || a.String() != text):
			t.Errorf("%s: %v, %v", text, a, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

func TestRowErrors(t *testing.T) {
	src := &facts.Source{Format: "csv", Path: file(t, "x.csv", "a,b\nx,y\n")}
	err := src.Read(context.Background(), 2, func(r *facts.Row) error { return r.FailAt(1, "no") })
	var at *facts.Error
	if !errors.As(err, &at) || at.Line != 2 || at.Col != 3 || at.Column != "b" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err = src.Read(ctx, 2, func(*facts.Row) error { n++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%v after %d rows", err, n)
	}
	if _, err := rows(&facts.Source{Format: "xml"}, 2); err == nil || !strings.Contains(err.Error(), `no format "xml"`) {
		t.Errorf("%v", err)
	}
}
