// Command arm64 counts the instructions of a training step of ResNet18 on arm64, under
// emulation: those of a run of the benchmark with one step more, less those of the run. It
// prints a row for each path. It needs qemu-aarch64 (Debian's qemu-user) and gcc, and is
// run in the root of the repository.
//
//	go run ./lab/arm64
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("arm64: ")
	batch := flag.Int("batch", 64, "images in a step: one of the benchmark's batches")
	flag.Parse()
	if err := count(*batch, "neon", "portable"); err != nil {
		log.Fatal(err)
	}
}

// count prints the instructions of a step on each path.
func count(batch int, paths ...string) error {
	dir, err := os.MkdirTemp("", "arm64")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	plugin, test := filepath.Join(dir, "count.so"), filepath.Join(dir, "resnet18.test")
	if err := run(nil, "gcc", "-O2", "-shared", "-fPIC", "-o", plugin, "lab/arm64/plugin/count.c"); err != nil {
		return err
	}
	if err := run([]string{"GOARCH=arm64", "CGO_ENABLED=0"}, "go", "test", "-c", "-o", test, "./models/resnet18"); err != nil {
		return err
	}
	fmt.Printf("| path | instructions of a step of %d images |\n| --- | --- |\n", batch)
	for _, path := range paths {
		// Both runs make the network and do a step that is not timed.
		var total [2]int
		for i := range total {
			if total[i], err = instructions(plugin, test, path, batch, i+1); err != nil {
				return err
			}
		}
		fmt.Printf("| %s | %d |\n", path, total[1]-total[0])
	}
	return nil
}

// instructions runs the benchmark for some steps and returns how many instructions the
// whole process executes. With one thread nobody waits for another in a loop.
func instructions(plugin, test, path string, batch, steps int) (int, error) {
	cmd := exec.Command("qemu-aarch64", "-plugin", plugin, test, "-test.run", "^$",
		"-test.bench", fmt.Sprintf("TrainStep/batch=%d$", batch), "-test.cpu", "1", "-test.benchtime", fmt.Sprintf("%dx", steps))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "HINGE_KERNEL="+path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	n, ok := counted(out)
	if !ok {
		return 0, fmt.Errorf("%s printed no count, or no step:\n%s", cmd, out)
	}
	return n, nil
}

// counted returns the plugin's count of instructions from what a run prints, and false
// unless the benchmark ran as well.
func counted(out []byte) (int, bool) {
	found := regexp.MustCompile(`(?m)^instructions: (\d+)$`).FindSubmatch(out)
	if found == nil || !bytes.Contains(out, []byte("ms/image")) {
		return 0, false
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return 0, false
	}
	return n, true
}

// run runs a command whose output nobody needs unless it fails.
func run(env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}
