package tables

import (
	"errors"
	"fmt"
	"path/filepath"

	"hinge/data/jsonl"
	"hinge/lab/lines"
)

// Code is what the runs of a commit go through: a digest of a package with all that it
// imports. Two commits with one digest are one program to these runs.
type Code struct {
	Commit  string `json:"commit"`
	Package string `json:"package"`
	// Digest is empty where the commit has no such package.
	Digest string `json:"digest"`
}

// codesFile lies beside the records. What it lacks counts as code of its own.
const codesFile = "code.jsonl"

// codes are digests by commit and package.
type codes map[[2]string]string

func readCodes(records string) (codes, error) {
	list, err := jsonl.Read[Code](filepath.Join(filepath.Dir(records), codesFile))
	if err != nil {
		return nil, err
	}
	all := codes{}
	for _, c := range list {
		all[[2]string{c.Commit, c.Package}] = c.Digest
	}
	return all, nil
}

// same reports whether two records of a table were made by one program.
func (all codes) same(t *Table, a, b *Record) bool {
	if !a.committed() || !b.committed() {
		return false
	}
	digest := all[[2]string{a.Version, t.Code}]
	return a.Version == b.Version || digest != "" && digest == all[[2]string{b.Version, t.Code}]
}

// ListCodes adds to the codes beside a file of records those of the commits of its runs
// that are not there yet. It returns the errors of digest, one for each commit that stays
// without a code.
func ListCodes(page []*Table, records string, digest func(commit, pkg string) (string, error)) error {
	all, err := readCodes(records)
	if err != nil {
		return err
	}
	list, err := jsonl.Read[Record](records)
	if err != nil {
		return err
	}
	var failed []error
	for _, t := range page {
		for i := range list {
			key := [2]string{list[i].Version, t.Code}
			if _, ok := all[key]; ok || t.Code == "" || list[i].Table != t.Label() || !list[i].committed() {
				continue
			}
			if all[key], err = digest(key[0], key[1]); err != nil {
				failed = append(failed, fmt.Errorf("the code of commit %s is not known: %w", key[0], err))
				continue
			}
			if err := lines.Append(filepath.Join(filepath.Dir(records), codesFile), Code{key[0], key[1], all[key]}); err != nil {
				return err
			}
		}
	}
	return errors.Join(failed...)
}
