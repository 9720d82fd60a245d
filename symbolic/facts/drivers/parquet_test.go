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
		r := row{ID: int64(i), Small: math.MaxUint32, Weight: float64(i), Ratio: 0.1, Flag: true, Day: 19849, At: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC),
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
		"small": "4294967295", "weight": "2", "ratio": "0.1", "flag": "true", "day": "2024-05-06", "at": "2024-05-06T07:08:09Z",
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
