// Package drivers lets a program read and write facts in Parquet files and in the databases
// SQLite and PostgreSQL: importing it registers them with hinge/symbolic/facts.
//
//	import _ "hinge/symbolic/facts/drivers"
//
// It is apart because what it brings is large (parquet-go, modernc.org/sqlite, pgx; none needs
// cgo). cmd/infer has it; cmd/train and other programs have it when they are built with
// -tags drivers, so that training begins as soon as it can. What can fail and what may run
// at once is documented there.
package drivers

import (
	"hinge/symbolic/facts"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx of database/sql
	_ "modernc.org/sqlite"             // the driver sqlite
)

func init() { facts.RegisterParquet(openParquet, createParquet) }
