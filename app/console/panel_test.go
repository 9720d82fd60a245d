package console

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hinge/train"
)

// screen is what a terminal shows after what was written to it, line by line; it knows
// line feeds, carriage returns, "up so many lines" and "away with all below".
func screen(t *testing.T, written string) []string {
	t.Helper()
	lines, row := []string{""}, 0
	for written != "" {
		switch {
		case strings.HasPrefix(written, "\x1b["):
			end := strings.IndexAny(written, "AJ")
			if end < 0 {
				t.Fatalf("unknown code in %q", written)
			}
			if number, code := written[2:end], written[end]; code == 'J' {
				lines = append(lines[:row], "")
			} else if n, err := strconv.Atoi(number); err != nil || n > row {
				t.Fatalf("up %q lines from line %d", number, row)
			} else {
				row -= n
			}
			written = written[end+1:]
		case written[0] == '\r':
			written = written[1:]
		case written[0] == '\n':
			if row++; row == len(lines) {
				lines = append(lines, "")
			}
			written = written[1:]
		default:
			n := strings.IndexAny(written, "\r\n\x1b")
			if n < 0 {
				n = len(written)
			}
			lines[row] += written[:n]
			written = written[n:]
		}
	}
	return lines
}

// TestPanel: notes stand above one panel, whose rows have the newest figures.
func TestPanel(t *testing.T) {
	var out bytes.Buffer
	p := newPanel(&out, func() int { return 0 })
	drive(p)
	p.Note("after the end")
	got := screen(t, out.String())
	want := []string{
		"resuming from step 1", "toy: a network of 7 learned numbers on 4 examples",
		"loss 0.25, gradient 0, learning rate 0",
		"validation 50.0 % at step 3, parts 75.0 %, entropy 0.12",
		"seconds 0.2 neural, 0.0 symbolic (6 programs, 1 short of the gap)",
		"100% |", "after the end", "",
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("the screen shows\n%s", strings.Join(got, "\n"))
	}
	if bar := got[5]; !strings.Contains(bar, "(3/3)") || !strings.HasSuffix(bar, " 0 s") {
		t.Errorf("bar %q", bar)
	}
}

// TestPanelFits: no row is as wide as the terminal, which would break it.
func TestPanelFits(t *testing.T) {
	var out bytes.Buffer
	p := newPanel(&out, func() int { return 30 })
	drive(p)
	for _, row := range screen(t, out.String())[2:] {
		if len([]rune(row)) >= 30 {
			t.Errorf("row %q", row)
		}
	}
}

// TestStatusTimes: what is left is what the steps of this sitting took.
func TestStatusTimes(t *testing.T) {
	var s Status
	s.start(train.Plan{Steps: 100, Done: 40}, s.began)
	if s.String() != "step 40 of 100; seconds 0.0 neural, 0.0 symbolic; 0 s" {
		t.Errorf("%q", s.String())
	}
	began := s.began.Add(1e9)
	s.start(train.Plan{Steps: 100, Done: 40}, began)
	s.Step = 70
	s.at(began.Add(90e9))
	if s.ElapsedS != 90 || s.LeftS != 90 || s.times() != "90 s, about 90 s left" {
		t.Errorf("%v, %v, %s", s.ElapsedS, s.LeftS, s.times())
	}
	for seconds, want := range map[float64]string{99.4: "99 s", 100: "2 min", 5400: "90 min", 9000: "2.5 h"} {
		if got := brief(seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}

func ExampleStatus() {
	s := Status{State: "training", Step: 3, Steps: 12, Value: new(.5), GradNorm: new(2.0), LearningRate: 1e-3, Valid: .75, ValidStep: new(2), NeuralS: 1.5, SolverS: .25, Solves: 96}
	s.ElapsedS, s.LeftS = 2, 6
	fmt.Println(s.String())
	// Output: step 3 of 12; loss 0.5, gradient 2, learning rate 0.001; validation 75.0 % at step 2; seconds 1.5 neural, 0.2 symbolic (96 programs); 2 s, about 6 s left
}
