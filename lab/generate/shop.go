package main

import (
	"cmp"
	"database/sql"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	_ "hinge/symbolic/facts/drivers" // the driver of SQLite
)

// shop writes the data of a shop: its database with products and ratings, the questions and
// their answers as CSV. Customers have tastes and products qualities in two dimensions, and
// both have a level of their own; products of a brand are alike.
func shop(dir string, rng *rand.Rand) (err error) {
	const customers, products, brands = 40, 30, 8
	type thing struct{ level, x, y float64 }
	draw := func(spread float64) thing {
		return thing{0.35 * rng.NormFloat64(), spread * rng.NormFloat64(), spread * rng.NormFloat64()}
	}
	var people, goods, lines []thing
	for range customers {
		people = append(people, draw(0.9))
	}
	for range brands {
		lines = append(lines, draw(0.9))
	}
	var tables [][]any
	add := func(query string, values ...any) { tables = append(tables, append([]any{query}, values...)) }
	for p := range products {
		brand := rng.IntN(brands)
		g, of := draw(0.25), lines[brand]
		goods = append(goods, thing{of.level + g.level, of.x + g.x, of.y + g.y})
		add("INSERT INTO products VALUES (?, ?, ?)", p+1, fmt.Sprintf("product %d", p+1), fmt.Sprintf("brand %c", 'A'+brand))
	}
	asked := [][]string{{"customer", "product"}}
	answers := [][]string{{"customer", "product", "stars"}}
	for c, a := range people {
		for p, b := range goods {
			stars := 3.2 + a.level + b.level + a.x*b.x + a.y*b.y + 0.3*rng.NormFloat64()
			stars = math.Round(min(max(stars, 1), 5))
			switch u := rng.Float64(); {
			case u < 0.35:
				add("INSERT INTO ratings VALUES (?, ?, ?)", c+1, p+1, int(stars))
			case u < 0.37: // bought, and not rated
				add("INSERT INTO ratings VALUES (?, ?, NULL)", c+1, p+1)
			case u < 0.55:
				row := []string{strconv.Itoa(c + 1), strconv.Itoa(p + 1)}
				asked = append(asked, row)
				answers = append(answers, append(row[:2:2], strconv.Itoa(int(stars))))
			}
		}
	}
	if err := errors.Join(writeCSV(filepath.Join(dir, "asked.csv"), asked), writeCSV(filepath.Join(dir, "answers.csv"), answers)); err != nil {
		return err
	}
	file := filepath.Join(dir, "shop.db")
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, db.Close()) }()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, brand TEXT);
		CREATE TABLE ratings (customer INTEGER, product INTEGER REFERENCES products, stars INTEGER)`); err != nil {
		return err
	}
	for _, row := range tables {
		if _, err := tx.Exec(row[0].(string), row[1:]...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func writeCSV(path string, rows [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(rows), f.Close())
}
