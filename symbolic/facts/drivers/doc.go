// Package drivers lets a program read and write facts in Parquet files and in the databases
// SQLite and PostgreSQL: importing it registers them with hinge/symbolic/facts.
//
//	import _ "hinge/symbolic/facts/drivers"
//
// It is a separate package because its dependencies are large (parquet-go, modernc.org/sqlite,
// pgx; none needs cgo). cmd/infer imports it; cmd/train and other programs contain it when
// they are built with -tags drivers, so that training begins as soon as it can. Errors and
// concurrency are documented in package facts.
package drivers

import (
	"hinge/symbolic/facts"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx of database/sql
	_ "modernc.org/sqlite"             // the driver sqlite
)

func init() { facts.RegisterParquet(openParquet, createParquet) }
