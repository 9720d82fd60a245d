package checkpoint

import (
	"fmt"
	"os"
	"testing"
)

// saverEnv makes the test binary save checkpoints into the folder it names
// until it is killed, printing each step once it is saved.
const saverEnv = "HINGE_TEST_SAVER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(saverEnv); dir != "" {
		fmt.Println(saver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func saver(dir string) error {
	s, err := Open(dir, Options{Keep: 2})
	if err != nil {
		return err
	}
	first := int64(1)
	if list, err := s.Steps(); err != nil {
		return err
	} else if len(list) > 0 {
		first = list[len(list)-1] + 1
	}
	for step := first; ; step++ {
		state, tensors := saved(step)
		if err := s.Save(step, state, tensors); err != nil {
			return err
		}
		fmt.Println(step)
	}
}
