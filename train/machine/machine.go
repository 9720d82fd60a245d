// Package machine describes the machine and the version of a program, for records of
// measurements and of runs:
//
//	machine.This().String()  // AMD EPYC, 2 cores, 25 GB, linux/amd64, go1.26.8
//	machine.Version(ctx)     // f9558429a824+changes
//
// Nothing fails: facts that the system or git does not provide are left out or "unknown".
package machine

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
)

// Machine describes the machine that something was measured on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes,omitempty"`
	System string `json:"system"`
	Go     string `json:"go"`
	// Settings are variables of the environment that change what the runtime
	// does.
	Settings string `json:"settings,omitempty"`
}

// This describes the machine as far as the system tells.
func This() Machine {
	m := Machine{
		CPU: "unknown processor", Cores: runtime.GOMAXPROCS(0),
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if v, ok := field(text, "model name"); ok {
			m.CPU = v
		}
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if v, ok := field(text, "MemTotal"); ok {
			if _, err := fmt.Sscan(v, &m.Memory); err == nil {
				m.Memory <<= 10
			}
		}
	}
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOAMD64"} {
		if v := os.Getenv(name); v != "" {
			if m.Settings != "" {
				m.Settings += " "
			}
			m.Settings += name + "=" + v
		}
	}
	return m
}

// field finds "name : value" in lines of such.
func field(text []byte, name string) (string, bool) {
	for line := range bytes.Lines(text) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if ok && string(bytes.TrimSpace(key)) == name {
			return string(bytes.TrimSpace(value)), true
		}
	}
	return "", false
}

// String returns the description on one line.
func (m Machine) String() string {
	s := fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)
	if m.Cores == 1 {
		s = m.CPU + ", 1 core"
	}
	if m.Memory > 0 {
		s += fmt.Sprintf(", %.0f GB", float64(m.Memory)/1e9)
	}
	s += fmt.Sprintf(", %s, %s", m.System, m.Go)
	if m.Settings != "" {
		s += ", " + m.Settings
	}
	return s
}
