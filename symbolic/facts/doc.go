// Package facts reads and writes rows where people keep them: tab-separated files, CSV, JSON
// Lines, Parquet, and the databases SQLite and PostgreSQL. A row is the arguments of an atom and
// its value. It also finds pairs of records whose texts are alike.
//
//	src := facts.Source{Format: "csv", Path: "ratings.csv", Columns: facts.Named("user_id", "item_id"),
//		Value: &facts.Column{Name: "stars"}, Scale: facts.Between(1, 5)}
//	err := src.Read(ctx, 2, func(r *facts.Row) error { return db.Observe("Rating", r.Value, r.Args...) })
//
// # Reading
//
// Rows stream: one is in memory at a time, or a page of a Parquet file. A source has columns,
// by name or by number from 1. Columns are the arguments of an atom, Value is the column of
// its value. Without Columns the source must have as many as the atom has arguments, or one
// more, which is then the value; without Value the value of named columns is 1. Scale turns
// what is in the column of values into a number in [0, 1]. Where keeps the rows with given
// texts in given columns. A row with nothing in a column (an SQL NULL, a null of JSON or
// Parquet, an empty field of a CSV file, a text of Null) is an error, or left out with
// SkipNull.
//
//	tsv      fields between tabs, without quotes; spaces around fields and blank lines are
//	         skipped; the first row names the columns unless NoHeader; a value may end with
//	         the letter of a precision, 0.7f; UTF-8. .gz is decompressed
//	csv      RFC 4180: fields in quotes may hold separators and line ends; Separator is a
//	         comma by default; the first row names the columns unless NoHeader; UTF-8.
//	         .gz is decompressed
//	jsonl    a JSON object or list a line; user.id is the key id of the object under user
//	parquet  columns that are not repeated; user.id is a field of a group
//	sql      Path is the address of a database, Query a statement that returns rows. They
//	         are read in one read-only transaction, in which nothing can be changed
//	similar  pairs of records of two sources whose texts are alike, with the similarity (Similar);
//	         both sources are kept in memory
//
// Values of databases, of Parquet and of JSON become the texts that docs/DATA.md lists, numbers by FormatFloat; integers of
// JSON stay as written. In the column of values true is 1 and false 0.
//
// # Writing
//
// Create opens a file (.csv, .jsonl, .parquet, the first two also with .gz) or a table of a
// database for results: ADDRESS#TABLE. A file is written beside its place and renamed, a
// table is replaced in one transaction: what was there stays until Commit.
//
// # Addresses of databases
//
// ParseAddress reads sqlite:shop.db, postgres://user@host:5432/database and env:SHOP_DATABASE, which names a variable of
// the environment with such an address. An address with a password is refused where it would be stored or shown, and one
// from the environment is never printed (docs/DATA.md).
//
// # Drivers, errors, concurrency
//
// TSV, CSV and JSON Lines are always there. Parquet and the databases are in a program that
// imports hinge/symbolic/facts/drivers, which registers them; without them their sources are
// errors that say so. A fault of the data is an *Error, with its place where it has one; programs
// end with exit code 3 for it. A Source may be read by
// several goroutines; a Writer is for one.
package facts
