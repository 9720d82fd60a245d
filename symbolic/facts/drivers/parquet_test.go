package drivers_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

// row has values of the types that texts are made of.
type row struct {
	ID      int64     `parquet:"id"`
	Small   uint32    `parquet:"small"`
	Name    *string   `parquet:"name,optional,dict"`
	Weight  float64   `parquet:"weight"`
	Ratio   float32   `parquet:"ratio"`
	Flag    bool      `parquet:"flag"`
	Day     int32     `parquet:"day,date"`
	At      time.Time `parquet:"at,timestamp(microsecond)"`
	Price   int64     `parquet:"price,decimal(2:18)"`
	Key     [16]byte  `parquet:"key,uuid"`
	Raw     []byte    `parquet:"raw"`
	Deep    inner     `parquet:"deep"`
	Several []string  `parquet:"several"`
}

type inner struct {
	Of string `parquet:"of"`
}

func TestParquet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	f, err := os.Create(path)
	require.NoError(t, err)
	const n = 3000
	w := parquet.NewGenericWriter[row](f, parquet.MaxRowsPerRowGroup(1000), parquet.Compression(&parquet.Zstd))
	name := "ann"
	for i := range n {
		r := row{ID: int64(i), Small: math.MaxUint32, Weight: float64(i), Ratio: 0.1, Flag: true, Day: 19849, At: time.Date(2024, 5, 6, 7, 8, 9, 123456e3, time.UTC),
			Price: -5, Key: [16]byte{0x12, 15: 0xff}, Raw: []byte{0xff}, Deep: inner{"x"}, Several: []string{"a", "b"}}
		if i%2 == 0 {
			r.Name = &name
		}
		_, err := w.Write([]row{r})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	f.Close()
	for column, want := range map[string]string{
		"small": "4294967295", "weight": "2", "ratio": "0.1", "flag": "true", "day": "2024-05-06", "at": "2024-05-06T07:08:09.123456Z",
		"price": "-0.05", "key": "12000000-0000-0000-0000-0000000000ff", "deep.of": "x", "name": "ann",
		"raw":     "x.parquet: row 1: raw: the value is not UTF-8 text",
		"several": "x.parquet: the column several holds lists: want one value a row",
		"nam":     `x.parquet has no column "nam" (did you mean name?)`,
	} {
		src := facts.Source{Format: "parquet", Path: path, Columns: facts.Named("id", column), SkipNull: true}
		got, rows := "", 0
		err := src.Read(t.Context(), 2, func(r *facts.Row) error {
			if r.Args[0] == "2" {
				got = r.Args[1]
			}
			if column == "weight" && r.Args[1] != fmt.Sprint(rows) {
				return r.Fail("another row")
			}
			rows++
			return nil
		})
		if err != nil {
			got, rows = strings.ReplaceAll(err.Error(), path, "x.parquet"), n
		}
		if got != want || rows != n && !(column == "name" && rows == n/2) {
			t.Errorf("%s: %q in %d rows, want %q", column, got, rows, want)
		}
	}
	cut := filepath.Join(t.TempDir(), "cut.parquet")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, size := range []int{10, len(whole) / 2, len(whole) - 9} {
		require.NoError(t, os.WriteFile(cut, whole[:size], 0o666))
		if _, err := read(facts.Source{Format: "parquet", Path: cut}); err == nil || !strings.Contains(err.Error(), cut) {
			t.Errorf("the first %d bytes: %v", size, err)
		}
	}
}

// TestParquetTypes reads what pyarrow wrote: the values of testdata/write.py.
func TestParquetTypes(t *testing.T) {
	const mixed, old = "testdata/types.parquet", "testdata/int96.parquet"
	bits := strings.Repeat("true ", 5) + "false" + strings.Repeat(" true", 14)
	for _, c := range []struct{ path, column, want string }{
		{mixed, "half", "1.5 -65504 0.099975586"}, // the float16 nearest to 0.1 is 0.0999755859375
		{mixed, "time", "07:08:09.123 07:08:09.123 07:08:09.123"},
		{mixed, "fine", "07:08:09.123456789 07:08:09.123456789 07:08:09.123456789"},
		{mixed, "zone", "2024-05-06T07:08:09.123456Z 2024-05-06T07:08:09.123456Z 2024-05-06T07:08:09.123456Z"},
		{mixed, "bytes", "ab testdata/types.parquet: row 2: bytes: the value is binary, not text: convert it to text first"},
		{mixed, "decimal", "12 -0.5 1234567.89"},
		{mixed, "float", "1234567.89 1714979289123456 1e-05"},
		{mixed, "maybe", "7"},
		{"testdata/bools1.parquet", "plain", bits},
		{"testdata/bools2.parquet", "plain", bits},
		{"testdata/bools1.parquet", "some", strings.Repeat(" true", 10)[1:]},
		{"testdata/bools2.parquet", "some", strings.Repeat(" true", 10)[1:]},
		{"testdata/bools1.parquet", "runs", "testdata/bools1.parquet: the column runs holds truth values in the encoding RLE, which is not read: write them PLAIN, as pyarrow does in data pages of version 1.0"},
		{"testdata/bools2.parquet", "runs", "testdata/bools2.parquet: the column runs holds truth values in the encoding RLE, which is not read: write them PLAIN, as pyarrow does in data pages of version 1.0"},
		{old, "old", "2024-05-06T07:08:09.123456Z 1969-12-31T23:59:59.5Z"},
	} {
		var got []string
		src := facts.Source{Format: "parquet", Path: c.path, Columns: facts.Named(c.column), SkipNull: true}
		if err := src.Read(t.Context(), 1, func(r *facts.Row) error {
			got = append(got, r.Args[0])
			return nil
		}); err != nil {
			got = append(got, err.Error())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %s, want %s", c.column, got, c.want)
		}
	}
}

// TestParquetRefused: what would be read wrongly is refused, with what to do.
func TestParquetRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	schema := parquet.NewSchema("x", parquet.Group{"n": parquet.Compressed(parquet.Int(64), &parquet.Lz4Raw), "span": parquet.IntervalNode()})
	f, err := os.Create(path)
	require.NoError(t, err)
	w := parquet.NewGenericWriter[any](f, schema)
	_, err = w.WriteRows([]parquet.Row{{parquet.Int64Value(7).Level(0, 0, 0), parquet.FixedLenByteArrayValue(make([]byte, 12)).Level(0, 0, 1)}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	f.Close()
	for column, want := range map[string]string{
		"n":    "the column n is compressed by LZ4_RAW, which is not read: write the file with zstd or snappy",
		"span": "the column span holds intervals, which are not read: write them as numbers or texts",
	} {
		src := facts.Source{Format: "parquet", Path: path, Columns: facts.Named(column)}
		if err := src.Read(t.Context(), 1, func(*facts.Row) error { return nil }); err == nil || err.Error() != path+": "+want {
			t.Errorf("%s: %v", column, err)
		}
	}
}
