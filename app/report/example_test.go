package report_test

import (
	"fmt"
	"os"
	"path/filepath"

	"hinge/app/report"
	"hinge/train/record"
)

// The page of a folder that holds no more than its settings.
func ExampleOptions_Write() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, record.ConfigFile), []byte("task = 'sudoku'\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	err = report.Options{}.Write(dir)
	_, missing := os.Stat(filepath.Join(dir, report.File))
	fmt.Println(err, missing)
	// Output: <nil> <nil>
}
