package facts

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// Address is the address of a database. Its text has the names of environment variables in
// place of their values.
type Address struct {
	shown string
	// driver is the name of a driver of database/sql, sqlite or pgx; source is its argument:
	// the path of a file, or a URL. Secrets are texts that no message may contain.
	driver, source string
	secrets        []string
}

// The beginnings of the kinds of addresses.
const (
	envPrefix    = "env:"
	sqlitePrefix = "sqlite:"
)

const wantAddress = "want sqlite:FILE, postgres://USER@HOST/DATABASE, or env:NAME for such an address in an environment variable"

// IsAddress reports whether a text begins like the address of a database.
func IsAddress(text string) bool {
	return strings.HasPrefix(text, envPrefix) || strings.HasPrefix(text, sqlitePrefix) || isPostgres(text)
}

func isPostgres(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// SQLiteFile returns the path of the file that an address names; false for other addresses.
func SQLiteFile(address string) (string, bool) { return strings.CutPrefix(address, sqlitePrefix) }

// ParseAddress reads the address of a database. One that is not in an environment variable
// must not hold a password. Its errors hold no secret.
func ParseAddress(text string) (*Address, error) {
	a := &Address{shown: text}
	name, fromEnv := strings.CutPrefix(text, envPrefix)
	if fromEnv {
		if text = os.Getenv(name); text == "" {
			return nil, fmt.Errorf("the environment variable %s, which names a database, is not set", name)
		}
		a.secrets = append(a.secrets, text)
	}
	switch file, isFile := SQLiteFile(text); {
	case isFile && file != "":
		a.driver, a.source = "sqlite", file
		return a, nil
	case isPostgres(text):
	case fromEnv:
		return nil, fmt.Errorf("the environment variable %s holds no address of a database: want sqlite:FILE or postgres://USER@HOST/DATABASE", name)
	default:
		return nil, fmt.Errorf("%s is no address of a database: %s", Show(text), wantAddress)
	}
	u, err := url.Parse(text)
	if err != nil { // its text holds the address
		if fromEnv {
			return nil, fmt.Errorf("the environment variable %s holds an address that is no URL", name)
		}
		return nil, errors.New("the address postgres://… of the database is no URL")
	}
	passwords := []string{u.Query().Get("password"), u.Query().Get("sslpassword")}
	if p, ok := u.User.Password(); ok {
		passwords = append(passwords, p)
	}
	for _, p := range passwords {
		switch {
		case p == "":
		case !fromEnv:
			return nil, errors.New("the address of the database holds a password, which would be stored and shown here: put the address into an environment variable and write env:NAME, or the password into ~/.pgpass or PGPASSWORD")
		default:
			a.secrets = append(a.secrets, p, url.QueryEscape(p), url.PathEscape(p))
		}
	}
	a.driver, a.source = "pgx", text
	return a, nil
}

// String returns the address as written: env:NAME for one from the environment.
func (a *Address) String() string { return a.shown }

// hide returns an error with the address before it and no secret in it.
func (a *Address) hide(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, s := range a.secrets {
		text = strings.ReplaceAll(text, s, "…")
	}
	if text == err.Error() {
		return fmt.Errorf("%s: %w", a.shown, err)
	}
	return fmt.Errorf("%s: %s", a.shown, text)
}
