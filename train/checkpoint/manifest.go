package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

const (
	// formatVersion is the version of the layout that this package writes.
	formatVersion = 1

	tensorsName  = "tensors.safetensors"
	stateName    = "state.json"
	manifestName = "manifest.json"

	// maxManifest bounds a manifest, which has a handful of short lines.
	maxManifest = 1 << 16
)

// fileNames are the files that a manifest lists, in this order.
var fileNames = []string{tensorsName, stateName}

// manifest is the contents of manifest.json.
type manifest struct {
	Format int            `json:"format"`
	Step   int64          `json:"step"`
	Files  []manifestFile `json:"files"`
	// Checksum is the SHA-256 of this document with an empty Checksum.
	Checksum string `json:"checksum"`
}

// manifestFile describes one file of a checkpoint.
type manifestFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// encode returns the only text that readers accept for m, with its checksum.
func (m manifest) encode() ([]byte, error) {
	m.Checksum = ""
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	m.Checksum = checksum(body)
	return json.MarshalIndent(m, "", "  ")
}

// parseManifest reads a manifest of the given step. Any text but the one that
// encode writes is an error, so that no change of a byte goes unnoticed.
func parseManifest(data []byte, step int64) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s is not valid JSON: %w", manifestName, err)
	}
	// Before the checksum: a later version may compute it otherwise.
	if m.Format > formatVersion {
		return m, fmt.Errorf("%s has format %d; this program reads up to %d (use a newer one)", manifestName, m.Format, formatVersion)
	}
	want, err := m.encode()
	if err != nil {
		return m, err
	}
	if !bytes.Equal(data, want) {
		return m, fmt.Errorf("%s does not match its own checksum", manifestName)
	}
	if m.Format < 1 {
		return m, fmt.Errorf("%s has format %d", manifestName, m.Format)
	}
	if m.Step != step {
		return m, fmt.Errorf("%s is of step %d: the folder was renamed", manifestName, m.Step)
	}
	names := make([]string, len(m.Files))
	for i, f := range m.Files {
		names[i] = f.Name
	}
	if !slices.Equal(names, fileNames) {
		return m, fmt.Errorf("%s lists %q, want %q", manifestName, names, fileNames)
	}
	return m, nil
}

// check compares a file's contents with the manifest.
func (f *manifestFile) check(data []byte) error {
	if int64(len(data)) != f.Size {
		return fmt.Errorf("%s has %d bytes, want %d", f.Name, len(data), f.Size)
	}
	if checksum(data) != f.SHA256 {
		return errors.New(f.Name + " does not match its checksum")
	}
	return nil
}

// checksum returns the SHA-256 of data in hexadecimal.
func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
