// Command serve measures cmd/serve under load from vegeta on loopback, and writes the
// report lab/benchmarks/serve.md:
//
//	go run ./lab/serve -run RUN -out lab/benchmarks/serve.md
//
// or make bench-serve. It starts the server on a run of an addition task, asks for the
// sums of test images one by one, and then at a steady rate and at four times that. An
// answer is right if it is, byte for byte, the one that was given alone. Then come
// malformed requests, and a SIGTERM under load.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"hinge/app/serve/servetest"
	"hinge/data/mnist"
)

type options struct {
	run, out  string
	rate      int
	seconds   int
	malformed int
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run() error {
	var o options
	flag.StringVar(&o.run, "run", "", "run `folder` of an addition task")
	flag.StringVar(&o.out, "out", "", "`file` for the report")
	flag.IntVar(&o.rate, "rate", 100, "requests a second; four times as many are the overload")
	flag.IntVar(&o.seconds, "seconds", 30, "seconds of each load")
	flag.IntVar(&o.malformed, "malformed", 100_000, "malformed requests")
	flag.Parse()
	if o.run == "" || o.rate < 1 || o.seconds < 1 || o.malformed < 0 || flag.NArg() > 0 {
		return errors.New("want -run DIR, a rate and seconds above 0 and no further arguments")
	}
	dir, err := os.MkdirTemp("", "bench-serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := start(dir, o.run)
	if err != nil {
		return err
	}
	defer s.kill()
	r := &report{options: o, began: time.Now()}
	questions, err := s.questions(100)
	if err != nil {
		return err
	}
	if r.right, err = s.askAlone(questions); err != nil {
		return err
	}
	r.asked = len(questions)
	s.load(questions, o.rate, 3*time.Second) // warm
	for _, rate := range []int{o.rate, 4 * o.rate} {
		l := s.load(questions, rate, time.Duration(o.seconds)*time.Second)
		fmt.Println(l)
		r.loads = append(r.loads, l)
	}
	if r.malformed, err = s.abuse(questions[0].body, o.malformed); err != nil {
		return err
	}
	fmt.Println(r.malformed)
	if r.end, err = s.end(questions, o.rate); err != nil {
		return err
	}
	fmt.Println(r.end)
	if o.out == "" {
		return nil
	}
	return os.WriteFile(o.out, []byte(r.String()), 0o644)
}

// question is a request with the answer it was given alone.
type question struct {
	body   []byte
	sum    int64
	answer []byte
}

// questions are sums of MNIST's test images, as the model takes them.
func (s *server) questions(n int) ([]question, error) {
	r, err := http.Get(s.url + "/v2/models/" + s.model)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	var meta struct {
		Inputs []struct{ Shape []int }
	}
	if err := json.NewDecoder(r.Body).Decode(&meta); err != nil || len(meta.Inputs) != 1 || len(meta.Inputs[0].Shape) != 4 {
		return nil, fmt.Errorf("metadata of %s: %+v, %v", s.model, meta, err)
	}
	set, err := mnist.Load("")
	if err != nil {
		return nil, err
	}
	each := meta.Inputs[0].Shape[1]
	out := make([]question, n)
	for i := range out {
		var data []float32
		pixels := make([]float32, mnist.Pixels)
		number := [2]int64{}
		for k := range each {
			image := i*each + k
			set.Test.Image(pixels, image)
			data = append(data, pixels...)
			at := &number[2*k/each]
			*at = 10**at + int64(set.Test.Label(image))
		}
		out[i].sum = number[0] + number[1]
		out[i].body, err = json.Marshal(map[string]any{"id": strconv.Itoa(i), "inputs": []any{map[string]any{
			"name": "images", "datatype": "FP32", "shape": []int{1, each, mnist.Side, mnist.Side}, "data": data,
		}}})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// askAlone asks one question after the other and counts the right sums.
func (s *server) askAlone(questions []question) (right int, err error) {
	for i := range questions {
		q := &questions[i]
		r, err := http.Post(s.infer(), "application/json", bytes.NewReader(q.body))
		if err != nil {
			return 0, err
		}
		q.answer, err = io.ReadAll(r.Body)
		r.Body.Close()
		var a struct {
			Outputs []struct {
				Name string
				Data json.RawMessage
			}
		}
		if err == nil {
			err = json.Unmarshal(q.answer, &a)
		}
		if err != nil || r.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("question %d: %s, %v\n%s", i, r.Status, err, q.answer)
		}
		for _, o := range a.Outputs {
			if o.Name == "answer" && string(o.Data) == fmt.Sprintf("[%d]", q.sum) {
				right++
			}
		}
	}
	return right, nil
}

// abused is what malformed requests did.
type abused struct {
	requests      int
	statuses      map[int]int
	seconds       float64
	before, after int64 // resident bytes
}

func (a abused) String() string {
	return fmt.Sprintf("%d malformed requests in %.0f s: statuses %v, resident %.1f and then %.1f MB",
		a.requests, a.seconds, a.statuses, float64(a.before)/1e6, float64(a.after)/1e6)
}

// abuse sends malformed requests.
func (s *server) abuse(valid []byte, n int) (abused, error) {
	a := abused{requests: n, statuses: map[int]int{}}
	m := servetest.NewMalformed(1, s.model, valid)
	client := &http.Client{Timeout: time.Minute}
	count := func(status int) { a.statuses[status]++ }
	err := m.Send(client, s.url, n/10, count) // memory settles
	if err == nil {
		a.before, err = s.resident()
	}
	began := time.Now()
	if err == nil {
		err = m.Send(client, s.url, n-n/10, count)
	}
	a.seconds = time.Since(began).Seconds()
	if err == nil {
		a.after, err = s.resident()
	}
	return a, err
}

// ended is what a SIGTERM under load did.
type ended struct {
	right, refused, lost int
	taken, answered      string // what the server says of all its requests
	seconds              float64
	err                  error
}

func (e ended) String() string {
	return fmt.Sprintf("SIGTERM under load: ended in %.2f s with %v; %d requests answered rightly, %d refused, %d lost; the server took %s in all and answered %s",
		e.seconds, e.err, e.right, e.refused, e.lost, e.taken, e.answered)
}

var lastWords = regexp.MustCompile(`msg=ended taken=(\d+) answered=(\d+)`)

// end sends SIGTERM in the middle of a load.
func (s *server) end(questions []question, rate int) (ended, error) {
	done := make(chan load, 1)
	go func() { done <- s.load(questions, rate, 2*time.Second) }()
	time.Sleep(time.Second)
	e := ended{}
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e.err = s.terminate(ctx)
	e.seconds = time.Since(began).Seconds()
	if m := lastWords.FindSubmatch(s.log.Bytes()); m != nil {
		e.taken, e.answered = string(m[1]), string(m[2])
	}
	l := <-done
	e.right, e.refused = l.right, l.refused
	e.lost = l.requests - l.right - l.busy - l.refused
	if l.firstLost != "" {
		fmt.Println("lost:", strings.TrimSpace(l.firstLost))
	}
	return e, nil
}
