package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"hinge/lab/bench"
	"hinge/train/machine"
)

// servers are Hinge's sides: each makes from its arguments what answers the words of a line.
var servers = map[string]func(args []string) (func(words []string, seconds float64) (answer, error), error){}

// serve is a side of Hinge: it says that it is ready and answers lines until they end. The last
// word of a line is how many seconds to repeat the work for.
func serve(in io.Reader, out io.Writer, name string, args []string) error {
	open, ok := servers[name]
	if !ok {
		return fmt.Errorf("-serve: there is no side %q", name)
	}
	reply, err := open(args)
	if err != nil {
		return err
	}
	e := json.NewEncoder(out)
	if err := e.Encode(answer{Version: "Hinge " + machine.Release}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			return fmt.Errorf("%q is not a case and seconds", lines.Text())
		}
		seconds, err := strconv.ParseFloat(words[len(words)-1], 64)
		if err != nil {
			return err
		}
		a, err := reply(words[:len(words)-1], seconds)
		if err != nil {
			a = answer{Error: err.Error()}
		}
		if err := e.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// repeat does work at least three times, and for about the given seconds, but only once where
// once takes longer than they are. It returns the median time, the count, and the mean of the
// processor's seconds.
func repeat(seconds float64, work func() error) (answer, error) {
	var took []float64
	began, used := time.Now(), bench.CPUTime()
	for len(took) < 3 || time.Since(began).Seconds() < seconds {
		start := time.Now()
		if err := work(); err != nil {
			return answer{}, err
		}
		took = append(took, time.Since(start).Seconds())
		if took[0] > seconds {
			break
		}
	}
	cpu := (bench.CPUTime() - used).Seconds() / float64(len(took))
	slices.Sort(took)
	return answer{Wall: took[len(took)/2], Count: len(took), CPU: cpu}, nil
}
