package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
)

// Version is the commit of this program: from the build, else from git in the
// working folder, else "unknown". Changes that are not committed are marked.
func Version(ctx context.Context) string {
	commit, changed := "", false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.modified":
				changed = s.Value == "true"
			}
		}
	}
	if commit == "" {
		text, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
		if err != nil {
			return "unknown"
		}
		commit = strings.TrimSpace(string(text))
		status, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output()
		changed = err != nil || len(status) > 0
	}
	commit = commit[:min(12, len(commit))]
	if changed {
		commit += "+changes"
	}
	return commit
}

// Build is a digest of this program's file: two builds with the same digest
// measure the same.
func Build() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
