package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"hinge/train/machine"
)

// report is what was measured.
type report struct {
	options
	began        time.Time
	right, asked int
	loads        []load
	malformed    abused
	end          ended
}

// String is the page.
func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Serving under load

Written by `+"`go run ./lab/serve -run RUN -rate %d -seconds %d -malformed %d -out lab/benchmarks/serve.md`"+` (`+"`make bench-serve`"+`); do not edit.

- Machine: %v. Server and load had %s.
- Date: %s; version %s
- Server: cmd/serve with its defaults, as a process of its own; RUN is a run of `+"`go run ./cmd/train -task mnist-add2`"+`, with all views of its test.
- Load: [vegeta](https://github.com/tsenart/vegeta) 12.13.0 on loopback, a steady rate whatever the answers; it shares the cores with the server.
- Questions: %d sums of MNIST's test images in turn, one a request, of which %d are answered with the true sum. An answer under load is right if it is, byte for byte, the one that the question got alone.

| requests/s | requests | right | 429 with Retry-After | lost or wrong | p50, ms | p95 | p99 | max | load average before |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`, r.rate, r.seconds, r.options.malformed, machine.This(), priority(), r.began.UTC().Format(time.DateTime), machine.Version(context.Background()), r.asked, r.right)
	for _, l := range r.loads {
		m := &l.metrics.Latencies
		fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %s | %s | %s | %s | %s |\n", l.rate, l.requests, l.right, l.busy, l.lost(), ms(m.P50), ms(m.P95), ms(m.P99), ms(m.Max), l.average)
	}
	fmt.Fprintf(&b, `
Latencies are those of right answers, from the client's side.

## Malformed requests

%d, from spoilt bodies, pictures, paths, methods and bytes that are not HTTP: the server answers on. Resident memory after a tenth of them %.1f MB, at the end %.1f MB; %.0f a second. Answers by status (0: hung up):

| status | requests |
| ---: | ---: |
`, r.malformed.requests, float64(r.malformed.before)/1e6, float64(r.malformed.after)/1e6, .9*float64(r.malformed.requests)/max(r.malformed.seconds, 1e-9))
	for status := range 600 {
		if n := r.malformed.statuses[status]; n > 0 {
			fmt.Fprintf(&b, "| %d | %d |\n", status, n)
		}
	}
	fmt.Fprintf(&b, `
## SIGTERM under load

At %d requests/s the server ended %.2f s after SIGTERM%s. %d requests were answered rightly, %d came too late (refused, or reset before the server had accepted them), %d were lost. The server took %s requests in its life, the malformed among them, and answered %s.
`, r.rate, r.end.seconds, exit(r.end.err), r.end.right, r.end.refused, r.end.lost, r.end.taken, r.end.answered)
	return b.String()
}

// priority is that of this process, which the server has as well.
func priority() string {
	nice, _ := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	text := fmt.Sprintf("niceness %d", 20-nice)
	stat, _ := os.ReadFile("/proc/self/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	// From the third field on; the 41st is the policy.
	if fields := strings.Fields(rest); len(fields) > 38 && (fields[38] == "1" || fields[38] == "2") {
		text = "real-time priority (chrt), so that what else ran took no turns of theirs"
	}
	return text
}

func exit(err error) string {
	if err != nil {
		return ": " + err.Error()
	}
	return " with exit code 0"
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }
