package drivers

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/x448/float16"

	"hinge/symbolic/facts"
)

// parquetTable reads the columns of a Parquet file that are chosen, side by side.
type parquetTable struct {
	path   string
	file   *os.File
	groups []parquet.RowGroup // those still to be read
	meta   *format.FileMetaData
	kinds  []*format.SchemaElement // of the leaves
	leaves []*parquet.Column
	names  []string
	chosen []*parquetColumn
	left   int64 // rows of the group at hand
	row    int64
}

// parquetColumn reads a column.
type parquetColumn struct {
	leaf   *parquet.Column
	name   string
	text   func(parquet.Value) (string, error)
	reader parquet.ColumnChunkValueReader
	values []parquet.Value // read and not delivered
	buffer [512]parquet.Value
}

func openParquet(path string) (facts.Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &parquetTable{path: path, file: f}
	info, err := f.Stat()
	if err == nil {
		var p *parquet.File
		if p, err = parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)); err == nil {
			t.groups, t.meta = p.RowGroups(), p.Metadata()
			for i := range t.meta.Schema {
				if e := &t.meta.Schema[i]; e.Type.Valid { // groups have no type
					t.kinds = append(t.kinds, e)
				}
			}
			t.add(p.Root(), "")
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: the file is cut off or damaged, or of a kind that is not read (%w)", path, err)
	}
	return t, nil
}

// add lists the columns below a group.
func (t *parquetTable) add(c *parquet.Column, prefix string) {
	for _, child := range c.Columns() {
		if name := prefix + child.Name(); child.Leaf() {
			t.leaves, t.names = append(t.leaves, child), append(t.names, name)
		} else {
			t.add(child, name+".")
		}
	}
}

func (t *parquetTable) Columns() []string { return t.names }
func (t *parquetTable) Width() int        { return len(t.names) }

func (t *parquetTable) Select(columns []facts.Column) error {
	list, err := facts.Choose(t.path, t.names, len(t.names), columns)
	if err != nil {
		return err
	}
	for _, i := range list {
		leaf := t.leaves[i]
		if leaf.MaxRepetitionLevel() > 0 {
			return fmt.Errorf("%s: the column %s holds lists: want one value a row", t.path, t.names[i])
		}
		for _, g := range t.meta.RowGroups {
			// The library drops what it unpacks of such pages, and returns bytes of earlier ones.
			if codec := g.Columns[leaf.Index()].MetaData.Codec; codec == format.Lz4Raw {
				return fmt.Errorf("%s: the column %s is compressed by %v, which is not read: write the file with zstd or snappy", t.path, t.names[i], codec)
			}
			switch found, err := runs(t.file, &g.Columns[leaf.Index()].MetaData); {
			case err != nil:
				return fmt.Errorf("%s: the column %s: %w", t.path, t.names[i], err)
			case found:
				return fmt.Errorf("%s: the column %s holds truth values in the encoding RLE, which is not read: write them PLAIN, as pyarrow does in data pages of version 1.0", t.path, t.names[i])
			}
		}
		text := textOf(leaf.Type(), t.kinds[leaf.Index()])
		if text == nil {
			return fmt.Errorf("%s: the column %s holds intervals, which are not read: write them as numbers or texts", t.path, t.names[i])
		}
		t.chosen = append(t.chosen, &parquetColumn{leaf: leaf, name: t.names[i], text: text})
	}
	return nil
}

// runs reports whether a page of a column has truth values in the encoding RLE, whose runs the library
// reads as runs of bytes. Only the headers of pages tell: the metadata list the encoding of the levels too.
func runs(f io.ReaderAt, m *format.ColumnMetaData) (bool, error) {
	if m.Type != format.Boolean {
		return false, nil
	}
	start := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		start = m.DictionaryPageOffset
	}
	var protocol thrift.CompactProtocol
	for in := bufio.NewReader(io.NewSectionReader(f, start, m.TotalCompressedSize)); ; {
		var h format.PageHeader
		if err := thrift.NewDecoder(protocol.NewReader(in)).Decode(&h); err == io.EOF {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if h.DataPageHeader.V.Encoding == format.RLE || h.DataPageHeaderV2.V.Encoding == format.RLE {
			return true, nil
		}
		if _, err := in.Discard(int(h.CompressedPageSize)); err != nil {
			return false, err
		}
	}
}

func (t *parquetTable) Next(cells []facts.Cell) (err error) {
	for t.left == 0 {
		if err := t.closeReaders(); err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
		if len(t.groups) == 0 {
			return io.EOF
		}
		group := t.groups[0]
		t.groups, t.left = t.groups[1:], group.NumRows()
		chunks := group.ColumnChunks()
		for _, c := range t.chosen {
			c.reader = parquet.NewColumnChunkValueReader(chunks[c.leaf.Index()])
		}
	}
	t.left--
	t.row++
	for i, c := range t.chosen {
		if len(c.values) == 0 {
			if err := c.fill(); err != nil {
				return t.Place(i, err.Error())
			}
		}
		v := c.values[0]
		c.values = c.values[1:]
		if cells[i] = (facts.Cell{Null: v.IsNull()}); v.IsNull() {
			continue
		}
		if cells[i].Text, err = c.text(v); err != nil {
			return t.Place(i, err.Error())
		}
	}
	return nil
}

// fill reads values of the column.
func (c *parquetColumn) fill() error {
	n, err := c.reader.ReadValues(c.buffer[:])
	if n == 0 {
		if err == nil || err == io.EOF {
			err = errors.New("the column ends before the others")
		}
		return err
	}
	c.values = c.buffer[:n]
	return nil
}

func (t *parquetTable) closeReaders() (err error) {
	for _, c := range t.chosen {
		if c.reader != nil {
			err = errors.Join(err, c.reader.Close())
			c.reader, c.values = nil, nil
		}
	}
	return err
}

func (t *parquetTable) Place(column int, msg string) error {
	e := &facts.Error{Source: t.path, Row: t.row, Msg: msg}
	if column >= 0 {
		e.Column = t.chosen[column].name
	}
	return e
}

func (t *parquetTable) Close() error { return errors.Join(t.closeReaders(), t.file.Close()) }

// textOf returns how values of a column become text; nil if they do not.
func textOf(kind parquet.Type, e *format.SchemaElement) func(parquet.Value) (string, error) {
	if c := e.ConvertedType; c.Valid && c.V == deprecated.Interval {
		return nil
	}
	if _, ok := e.LogicalType.Value.(*format.Float16Type); ok { // the library has no type of it
		return func(v parquet.Value) (string, error) {
			return facts.FormatFloat(float64(float16.Frombits(binary.LittleEndian.Uint16(v.ByteArray())).Float32()), 32), nil
		}
	}
	if l := kind.LogicalType(); l != nil {
		switch l := l.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return func(v parquet.Value) (string, error) {
				if b := v.ByteArray(); utf8.Valid(b) {
					return string(b), nil
				}
				return "", errors.New("the value is not UTF-8 text")
			}
		case *format.TimeType:
			unit := l.Unit.Value.Duration()
			return func(v parquet.Value) (string, error) {
				n := v.Int64()
				if v.Kind() == parquet.Int32 {
					n = int64(v.Int32())
				}
				return time.Time{}.Add(time.Duration(n) * unit).Format("15:04:05.999999999"), nil
			}
		case *format.DateType:
			return func(v parquet.Value) (string, error) {
				return facts.FormatTime(time.Unix(int64(v.Int32())*86400, 0).UTC(), true), nil
			}
		case *format.TimestampType:
			unit := l.Unit.Value.Duration()
			perSecond := int64(time.Second / unit)
			return func(v parquet.Value) (string, error) {
				n := v.Int64()
				return facts.FormatTime(time.Unix(n/perSecond, n%perSecond*int64(unit)).UTC(), false), nil
			}
		case *format.DecimalType:
			return func(v parquet.Value) (string, error) { return facts.TrimDecimal(decimal(v, int(l.Scale))), nil }
		case *format.UUIDType:
			return func(v parquet.Value) (string, error) {
				b := v.ByteArray()
				if len(b) != 16 {
					return "", fmt.Errorf("a UUID of %d bytes", len(b))
				}
				return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
			}
		case *format.IntType:
			if !l.IsSigned {
				return func(v parquet.Value) (string, error) {
					if v.Kind() == parquet.Int32 {
						return strconv.FormatUint(uint64(v.Uint32()), 10), nil
					}
					return strconv.FormatUint(v.Uint64(), 10), nil
				}
			}
		}
	}
	return plain
}

// plain is the text of a value by its physical type.
func plain(v parquet.Value) (string, error) {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean()), nil
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10), nil
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10), nil
	case parquet.Float:
		return facts.FormatFloat(float64(v.Float()), 32), nil
	case parquet.Double:
		return facts.FormatFloat(v.Double(), 64), nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return facts.FormatBytes(v.ByteArray())
	case parquet.Int96: // a time of Spark and Hive: nanoseconds of the day, and the Julian day
		n := v.Int96()
		const epoch = 2440588 // 1970-01-01
		return facts.FormatTime(time.Unix((int64(n[2])-epoch)*86400, int64(n[1])<<32|int64(n[0])), false), nil
	}
	return "", fmt.Errorf("a value of the type %v: want a text, a number, a truth value or a time", v.Kind())
}

// decimal is the text of an integer over a power of ten, as databases write it.
func decimal(v parquet.Value, scale int) string {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		b := v.ByteArray()
		if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	digits := new(big.Int).Abs(n).String()
	if scale > 0 {
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		digits = "-" + digits
	}
	return digits
}
