package facts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// openDatabase connects to a database. Only one connection is used.
func openDatabase(ctx context.Context, a *Address, readOnly bool) (*sql.DB, error) {
	if !slices.Contains(sql.Drivers(), a.driver) {
		return nil, missing("databases")
	}
	source := a.source
	if a.driver == "sqlite" {
		// A database that is read has to be there; one that others write to is waited for.
		options := "?_pragma=busy_timeout(10000)"
		if readOnly {
			if err := lookAt(source, "sqlite"); err != nil {
				return nil, err
			}
			options += "&mode=ro"
		}
		source = "file:" + (&url.URL{Path: source}).EscapedPath() + options
	}
	db, err := sql.Open(a.driver, source)
	if err != nil {
		return nil, a.hide(err)
	}
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, a.hide(err)
	}
	return db, nil
}

// missing is the error for a driver that the program does not contain.
func missing(what string) error {
	return fmt.Errorf("this program was built without %s: build it with -tags drivers (go run -tags drivers …), or import hinge/symbolic/facts/drivers", what)
}

// rowsTable reads the result of a query.
type rowsTable struct {
	address *Address
	db      *sql.DB
	tx      *sql.Tx
	rows    *sql.Rows
	columns
	kinds  []string // names of the columns' types
	values []any
	into   []any
	row    int64
}

// queryTable asks a database, in a transaction that can change nothing.
func queryTable(ctx context.Context, a *Address, query string) (Table, error) {
	if query == "" {
		return nil, errors.New("the source sql has no query")
	}
	db, err := openDatabase(ctx, a, true)
	if err != nil {
		return nil, err
	}
	t := &rowsTable{address: a, db: db, columns: columns{what: "the query"}}
	if err := t.ask(ctx, query); err != nil {
		return nil, errors.Join(a.hide(err), t.Close())
	}
	return t, nil
}

func (t *rowsTable) ask(ctx context.Context, query string) (err error) {
	if t.tx, err = t.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
		return err
	}
	if t.rows, err = t.tx.QueryContext(ctx, query); err != nil {
		return err
	}
	types, err := t.rows.ColumnTypes()
	if err != nil {
		return err
	}
	if len(types) == 0 {
		return errors.New("the query returns no columns: want SELECT")
	}
	t.width, t.values, t.into = len(types), make([]any, len(types)), make([]any, len(types))
	for i, column := range types {
		t.names = append(t.names, column.Name())
		kind := column.DatabaseTypeName()
		if t.address.driver == "sqlite" && kind != "DATE" {
			kind = "" // its columns keep any value, whatever their type
		}
		t.kinds = append(t.kinds, kind)
		t.into[i] = &t.values[i]
	}
	return nil
}

func (t *rowsTable) Next(cells []Cell) error {
	if !t.rows.Next() {
		if err := t.rows.Err(); err != nil {
			return t.address.hide(fmt.Errorf("after row %d: %w", t.row, err))
		}
		return io.EOF
	}
	t.row++
	if err := t.rows.Scan(t.into...); err != nil {
		return t.address.hide(fmt.Errorf("row %d: %w", t.row, err))
	}
	for i, at := range t.chosen {
		text, err := textOf(t.values[at], t.kinds[at])
		if err != nil {
			return t.Place(i, err.Error())
		}
		cells[i] = Cell{Text: text, Null: t.values[at] == nil}
	}
	return nil
}

// textOf is the text of a value of a database. kind is the name of the column's type; SQLite's have none but DATE.
func textOf(value any, kind string) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		if kind == "NUMERIC" { // digits after the point as the column says
			v = TrimDecimal(v)
		}
		if !utf8.ValidString(v) {
			return "", errNotText
		}
		return v, nil
	case []byte:
		return FormatBytes(v)
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		if kind == "FLOAT4" {
			return FormatFloat(v, 32), nil
		}
		return FormatFloat(v, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	case time.Time:
		// SQLite keeps any text in a column of dates.
		_, offset := v.Zone()
		return FormatTime(v, kind == "DATE" && offset == 0 && v.Equal(v.Truncate(24*time.Hour))), nil
	}
	return "", fmt.Errorf("a value of the type %T: cast it to text in the query", value)
}

func (t *rowsTable) Place(column int, msg string) error {
	e := &Error{Source: t.address.String(), Row: t.row, Msg: msg}
	if column >= 0 {
		e.Column = t.names[t.chosen[column]]
	}
	return e
}

func (t *rowsTable) Close() error {
	var err error
	if t.rows != nil {
		err = t.rows.Close()
	}
	if t.tx != nil {
		if e := t.tx.Rollback(); !errors.Is(e, sql.ErrTxDone) {
			err = errors.Join(err, e)
		}
	}
	return t.address.hide(errors.Join(err, t.db.Close()))
}
