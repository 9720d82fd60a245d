package rules

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress shows how far the command is: on a terminal a bar that is redrawn, elsewhere a line
// now and then.
type progress struct {
	out      *os.File
	quiet    bool
	terminal bool

	mu    sync.Mutex
	phase string
	share func() (share float64, detail string)
	since time.Time
	told  time.Time
	drawn bool
	done  chan struct{}
	once  sync.Once
}

// lineInterval is the least time between two lines where there is no terminal.
const lineInterval = 10 * time.Second

func newProgress(out *os.File, quiet bool) *progress {
	p := &progress{out: out, quiet: quiet, terminal: term.IsTerminal(int(out.Fd())), done: make(chan struct{})}
	if quiet {
		return p
	}
	go func() {
		tick := time.NewTicker(250 * time.Millisecond)
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

// start begins a phase. share returns the part of it that is done, in [0, 1], and a word about it.
func (p *progress) start(phase string, share func() (float64, string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.phase, p.share, p.since, p.told = phase, share, time.Now(), time.Now()
}

func (p *progress) tick(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase == "" || !p.terminal && now.Sub(p.told) < lineInterval {
		return
	}
	share, detail := p.share()
	share = min(max(share, 0), 1)
	if !p.terminal {
		fmt.Fprintf(p.out, "rules: %s, %.0f %%, %s\n", p.phase, 100*share, detail)
		p.told = now
		return
	}
	const width = 24
	full := int(share * width)
	fmt.Fprintf(p.out, "\r\033[K%s [%s%s] %3.0f %%, %.0f s, %s", p.phase, strings.Repeat("█", full), strings.Repeat(" ", width-full),
		100*share, now.Sub(p.since).Seconds(), detail)
	p.drawn = true
}

// note prints a line.
func (p *progress) note(format string, args ...any) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintf(p.out, "rules: "+format+"\n", args...)
}

func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\033[K")
		p.drawn = false
	}
}

// close ends the display. It may be called more than once.
func (p *progress) close() {
	p.once.Do(func() { close(p.done) })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.phase = ""
}
