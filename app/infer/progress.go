package infer

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress reports the progress of long work: on a terminal by a line that is redrawn,
// elsewhere by a line now and then.
type progress struct {
	out      *os.File
	terminal bool

	mu     sync.Mutex
	phase  string
	detail func() string // how far the phase is; may be nil
	since  time.Time
	drawn  bool
	told   time.Time
	done   chan struct{}
	once   sync.Once
}

const (
	// patience is how long a phase takes before it is worth a word.
	patience = 2 * time.Second
	// lineInterval is the least time between two lines where there is no
	// terminal.
	lineInterval = 10 * time.Second
)

func newProgress(out *os.File, quiet bool) *progress {
	p := &progress{out: out, terminal: term.IsTerminal(int(out.Fd())), done: make(chan struct{})}
	if quiet {
		return p
	}
	tick := time.NewTicker(250 * time.Millisecond)
	go func() {
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				p.tick(now)
			case <-p.done:
				return
			}
		}
	}()
	return p
}

// start begins a phase. A detail tells how far it is.
func (p *progress) start(phase string, detail ...func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.phase, p.detail, p.since, p.told = phase, nil, time.Now(), time.Time{}
	if len(detail) > 0 {
		p.detail = detail[0]
	}
}

// tick draws or prints the phase when its time has come.
func (p *progress) tick(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := now.Sub(p.since)
	if p.phase == "" || spent < patience {
		return
	}
	text := fmt.Sprintf("%s, %.0f s", p.phase, spent.Seconds())
	if p.detail != nil {
		text += ", " + p.detail()
	}
	text += ", " + memoryInUse().String()
	if p.terminal {
		fmt.Fprintf(p.out, "\r\033[K%s", text)
		p.drawn = true
		return
	}
	if now.Sub(p.told) >= lineInterval {
		fmt.Fprintf(p.out, "infer: %s\n", text)
		p.told = now
	}
}

// doing describes the current work.
func (p *progress) doing() string {
	p.mu.Lock()
	phase, detail := p.phase, p.detail
	p.mu.Unlock()
	if detail != nil {
		phase += ", " + detail()
	}
	return phase
}

// erase removes the drawn line.
func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\033[K")
		p.drawn = false
	}
}

// note prints a line without disturbing the drawn one.
func (p *progress) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintln(p.out, line)
}

// close ends the display. It may be called more than once.
func (p *progress) close() {
	p.once.Do(func() { close(p.done) })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.phase = ""
}
