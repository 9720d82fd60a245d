//go:build sql

package drivers_test

import (
	"bytes"
	"database/sql"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

// The password has characters that URLs write otherwise.
const password = "s3cr%t/ ä"

// server starts PostgreSQL in a folder of its own, for the duration of the test, and returns
// the address of a database in it.
func server(t *testing.T) string {
	t.Helper()
	bin := binaries(t)
	dir, err := os.MkdirTemp("", "hinge-postgres-*") // short: it holds a socket
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := owner(t, dir)
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
		cmd.SysProcAttr, cmd.Dir = as, dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	secret := filepath.Join(dir, "password")
	require.NoError(t, os.WriteFile(secret, []byte(password+"\n"), 0o644))
	data := filepath.Join(dir, "data")
	run("initdb", "-D", data, "-U", "ann", "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "--no-sync", "--locale=C")
	port := freePort(t)
	var log bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-p", port, "-k", dir, "-h", "127.0.0.1", "-c", "fsync=off")
	cmd.SysProcAttr, cmd.Dir, cmd.Stdout, cmd.Stderr = as, dir, &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // the fast shutdown
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server: %v\n%s", err, log.String())
		}
	})
	address := (&url.URL{Scheme: "postgres", User: url.UserPassword("ann", password), Host: "127.0.0.1:" + port, Path: "postgres"}).String()
	db, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer db.Close()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if err = db.PingContext(t.Context()); err == nil {
			return address
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not answer: %v\n%s", err, log.String())
		}
	}
}

// binaries is the folder of PostgreSQL's programs.
func binaries(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		t.Skip("there is no PostgreSQL: apt-get install postgresql")
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}

// owner gives a folder to the user postgres where the test runs as root, which PostgreSQL
// refuses to be.
func owner(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	require.NoError(t, err)
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	require.NoError(t, os.Chown(dir, uid, gid))
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// TestPostgreSQL reads from and writes to a server.
func TestPostgreSQL(t *testing.T) {
	address := server(t)
	t.Setenv("SHOP", address)
	local := time.Local // which the driver puts times in
	time.Local = time.FixedZone("", 5*3600)
	t.Cleanup(func() { time.Local = local })
	testResults(t, "env:SHOP#atoms", facts.Source{Format: "sql", Path: "env:SHOP", Query: "SELECT * FROM atoms"})
	db, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer db.Close()
	if _, err := db.Exec(`CREATE SCHEMA shop; CREATE TABLE shop.ratings (customer bigint, product text, stars numeric(3,1), ok boolean, day date,
		at timestamptz, id uuid, raw bytea, x real);
		INSERT INTO shop.ratings VALUES (1, 'ä', 4.5, true, '2024-05-06', '2024-05-06 07:08:09+00', '12000000-0000-0000-0000-0000000000ff', '\xff', 0.1),
		(2, NULL, 1, false, NULL, NULL, NULL, NULL, NULL)`); err != nil {
		t.Fatal(err)
	}
	testResults(t, "env:SHOP#shop.atoms", facts.Source{Format: "sql", Path: "env:SHOP", Query: "SELECT * FROM shop.atoms"})
	ask := func(query string) string {
		src := facts.Source{Format: "sql", Path: "env:SHOP", Query: query}
		if strings.HasPrefix(query, "SELECT customer, product, stars ") { // and a value
			src.Scale = facts.Between(1, 5)
		}
		text, err := rows(src)
		if err != nil {
			return err.Error()
		}
		return text
	}
	for query, want := range map[string]string{
		"SELECT customer, product, stars FROM shop.ratings WHERE customer = 1": `["1" "ä"]=0.875 `,
		"SELECT ok, day FROM shop.ratings WHERE customer = 1":                  `["true" "2024-05-06"]=1 `,
		"SELECT id, stars FROM shop.ratings WHERE customer = 1":                `["12000000-0000-0000-0000-0000000000ff" "4.5"]=1 `,
		"SELECT x, 1 FROM shop.ratings WHERE customer = 1":                     `["0.1" "1"]=1 `,
		// The texts that psql prints, but for decimals without the zeros at their end, whole numbers
		// without an exponent and UTC.
		"SELECT 1234567.89::float8, 1714979289123456::float8":                              `["1234567.89" "1714979289123456"]=1 `,
		"SELECT 12.00::numeric(6,2), 1234567.890::numeric":                                 `["12" "1234567.89"]=1 `,
		"SELECT 1e-5::float8, '07:08:09.5'::time":                                          `["1e-05" "07:08:09.5"]=1 `,
		"SELECT at, '2024-05-06 07:08:09'::timestamp FROM shop.ratings WHERE customer = 1": `["2024-05-06T07:08:09Z" "2024-05-06T07:08:09Z"]=1 `,
		"SELECT raw, 1 FROM shop.ratings WHERE customer = 1":                               "env:SHOP: row 1: raw: the value is not UTF-8 text",
		"SELECT customer, product FROM shop.ratings ORDER BY 1":                            `env:SHOP: row 2: product: nothing is here ("null": true in the model leaves such rows out)`,
		"SELECT * FROM nowhere":                                                            `env:SHOP: ERROR: relation "nowhere" does not exist (SQLSTATE 42P01)`,
		"DELETE FROM shop.ratings RETURNING customer, product":                             "env:SHOP: ERROR: cannot execute DELETE in a read-only transaction (SQLSTATE 25006)",
	} {
		if got := ask(query); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
	if err := write(t, "env:SHOP#shop.ratings", nil); err == nil || !strings.Contains(err.Error(), "the table shop.ratings is there and has the columns customer, product") {
		t.Errorf("a table of others: %v", err)
	}
	// Others see the old rows until Commit.
	d, err := facts.ParseDestination("env:SHOP#atoms")
	require.NoError(t, err)
	w, err := d.Create(t.Context(), 2)
	require.NoError(t, err)
	var n int
	if err := db.QueryRow("SELECT count(*) FROM atoms").Scan(&n); err != nil || n != 1205 {
		t.Errorf("%d rows while others are written, %v", n, err)
	}
	if err := w.Commit(); err != nil {
		t.Error(err)
	}
	if err := db.QueryRow("SELECT count(*) FROM atoms").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows after an empty result, %v", n, err)
	}
	testSecrets(t, address)
}

// testSecrets: neither messages nor anything that cmd/infer and cmd/train leave behind holds
// the password.
func testSecrets(t *testing.T, address string) {
	wrong := strings.Replace(address, "postgres://ann", "postgres://nobody", 1)
	none := strings.Replace(address, "127.0.0.1", "127.0.0.2", 1)
	dir, bin := t.TempDir(), t.TempDir()
	root := filepath.Join("..", "..", "..")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "drivers", "-o", bin, "./cmd/infer", "./cmd/train")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	model := filepath.Join(dir, "model.json")
	if err := os.WriteFile(model, []byte(`{"rules": ["1: Net(A, B) = Out(A, B) ^2", "1: !Out(A, B) ^2"], "predicates": {
		"Net/2": {"network": {"model": "mlp", "features": "x.txt", "classes": ["a", "b"]}, "targets": [["n", "a"], ["n", "b"]]},
		"Out/2": {"observations": [{"sql": "env:SHOP", "query": "SELECT 'm', 'a'"}], "targets": [["n", "a"], ["n", "b"]],
		          "truth": [["n", "a"], ["n", "b", 0]], "evaluations": ["CategoricalEvaluator"]}}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.txt"), []byte("n\t1\t0\n"), 0o666))
	for _, c := range []struct {
		address string
		ok      bool
		args    []string
	}{
		{address, true, []string{"train", "-model", model, "-loss", "energy", "-steps", "2", "-out", filepath.Join(dir, "run")}},
		{address, true, []string{"infer", "-model", model, "-weights", filepath.Join(dir, "run"), "-out", "env:SHOP#results"}},
		{address, true, []string{"infer", "-model", model, "-weights", filepath.Join(dir, "run"), "-json"}},
		{wrong, false, []string{"infer", "-model", model}},
		{wrong, false, []string{"train", "-model", model, "-out", filepath.Join(dir, "other")}},
		{none, false, []string{"infer", "-model", model}},
		{address + "&x", false, []string{"infer", "-model", model}},
	} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, c.args[0]), c.args[1:]...)
		cmd.Env = append(os.Environ(), "SHOP="+c.address)
		out, err := cmd.CombinedOutput()
		if (err == nil) != c.ok {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
		if shows(string(out)) {
			t.Errorf("%v prints the password:\n%s", c.args, out)
		}
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if shows(string(text)) {
			t.Errorf("%s holds the password", path)
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files were looked through, %v", files, err)
	}
}

// shows reports whether a text holds the password, in one of the forms it may have.
func shows(text string) bool {
	return slices.ContainsFunc([]string{password, url.QueryEscape(password), url.PathEscape(password), url.UserPassword("", password).String(), "s3cr"}, func(s string) bool {
		return strings.Contains(text, s)
	})
}
