package facts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// batchRows is the number of rows of one statement. 500 rows of 65 columns stay below the
// 65,535 parameters of PostgreSQL and the 32,766 of SQLite.
const batchRows = 500

// tableWriter replaces the rows of a table in one transaction.
type tableWriter struct {
	d       *Destination
	db      *sql.DB
	tx      *sql.Tx
	ctx     context.Context
	columns []string
	begin   string // of the statement, up to VALUES
	full    *sql.Stmt
	values  []any
	fresh   bool // the file was not there
	done    bool
}

func createTable(ctx context.Context, d *Destination, arity int) (Writer, error) {
	w := &tableWriter{d: d, ctx: ctx, columns: Columns(arity)}
	_, err := os.Stat(d.address.source)
	w.fresh = d.address.driver == "sqlite" && err != nil
	if w.db, err = openDatabase(ctx, d.address, false); err != nil {
		return nil, err
	}
	if w.tx, err = w.db.BeginTx(ctx, nil); err == nil {
		err = w.prepare()
	}
	if err != nil {
		w.Abort()
		return nil, d.address.hide(err)
	}
	return w, nil
}

// prepare makes the table, or empties it if it is one of results.
func (w *tableWriter) prepare() error {
	table := quoteName(w.d.table)
	exists, err := w.exists()
	switch {
	case err != nil:
		return err
	case exists:
		rows, err := w.tx.QueryContext(w.ctx, "SELECT * FROM "+table+" WHERE 1 = 0")
		if err != nil {
			return err
		}
		have, err := rows.Columns()
		if err = errors.Join(err, rows.Close(), rows.Err()); err != nil {
			return err
		}
		if !slices.Equal(have, w.columns) {
			return fmt.Errorf("the table %s is there and has the columns %s, results have %s: it is not touched (drop it, or name another)",
				w.d.table, strings.Join(have, ", "), strings.Join(w.columns, ", "))
		}
		_, err = w.tx.ExecContext(w.ctx, "DELETE FROM "+table)
		if err != nil {
			return err
		}
	default:
		var list []string
		for _, c := range w.columns {
			kind := "TEXT"
			switch c {
			case "value":
				kind = "DOUBLE PRECISION NOT NULL"
			case "predicate":
				kind = "TEXT NOT NULL"
			}
			list = append(list, quoteName(c)+" "+kind)
		}
		if _, err := w.tx.ExecContext(w.ctx, "CREATE TABLE "+table+" ("+strings.Join(list, ", ")+")"); err != nil {
			return err
		}
	}
	w.begin = "INSERT INTO " + table + " VALUES "
	w.full, err = w.tx.PrepareContext(w.ctx, w.begin+w.places(batchRows))
	return err
}

// exists reports whether the table is there.
func (w *tableWriter) exists() (there bool, err error) {
	query := "SELECT count(*) > 0 FROM sqlite_schema WHERE name = $1 COLLATE NOCASE"
	name := w.d.table
	if w.d.address.driver == "pgx" {
		query, name = "SELECT to_regclass($1) IS NOT NULL", quoteName(name)
	}
	err = w.tx.QueryRowContext(w.ctx, query, name).Scan(&there)
	return there, err
}

// places are the parameters of n rows.
func (w *tableWriter) places(n int) string {
	rows, row := make([]string, n), make([]string, len(w.columns))
	for r := range rows {
		for i := range row {
			row[i] = fmt.Sprintf("$%d", r*len(row)+i+1)
		}
		rows[r] = "(" + strings.Join(row, ",") + ")"
	}
	return strings.Join(rows, ",")
}

// quoteName quotes the name of a table, with its schema before a point.
func quoteName(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
	}
	return strings.Join(parts, ".")
}

func (w *tableWriter) Write(a *Atom) error {
	if err := a.check(len(w.columns) - 2); err != nil {
		return err
	}
	w.values = append(w.values, a.Predicate)
	for i := range len(w.columns) - 2 {
		if i < len(a.Args) {
			w.values = append(w.values, a.Args[i])
		} else {
			w.values = append(w.values, nil)
		}
	}
	w.values = append(w.values, a.Value)
	if len(w.values) < batchRows*len(w.columns) {
		return nil
	}
	_, err := w.full.ExecContext(w.ctx, w.values...)
	w.values = w.values[:0]
	return w.d.address.hide(err)
}

func (w *tableWriter) Commit() error {
	var err error
	if n := len(w.values) / len(w.columns); n > 0 {
		_, err = w.tx.ExecContext(w.ctx, w.begin+w.places(n), w.values...)
	}
	if err == nil {
		err = w.tx.Commit()
	}
	if err == nil {
		w.done = true
		err = w.db.Close()
	}
	w.Abort()
	return w.d.address.hide(err)
}

func (w *tableWriter) Abort() {
	if w.done {
		return
	}
	w.done = true
	if w.tx != nil {
		_ = w.tx.Rollback() // closing ends the transaction, too
	}
	_ = w.db.Close()
	if info, err := os.Stat(w.d.address.source); w.fresh && err == nil && info.Size() == 0 {
		_ = os.Remove(w.d.address.source) // what remains is only untidy
	}
}
