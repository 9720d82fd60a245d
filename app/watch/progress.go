package watch

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Progress reports the progress of a command's long work: on a terminal by a line that is
// redrawn, elsewhere by a line now and then that begins with the name of the command.
type Progress struct {
	out      *os.File
	name     string
	terminal bool

	mu    sync.Mutex
	phase string
	// text says how far the phase is after the time that it has taken, detail the same in a
	// word; detail may be nil.
	text   func(spent time.Duration) string
	detail func() string
	// since is when the phase began; it is shown after wait.
	since time.Time
	wait  time.Duration
	drawn bool
	told  time.Time
	done  chan struct{}
	once  sync.Once
}

const (
	// patience is how long a phase takes before it is worth a word.
	patience = 2 * time.Second
	// lineInterval is the least time between two lines where there is no
	// terminal.
	lineInterval = 10 * time.Second
)

// NewProgress displays the progress of the command with the given name, until Close. If quiet, it
// displays nothing but notes.
func NewProgress(name string, out *os.File, quiet bool) *Progress {
	p := &Progress{out: out, name: name, terminal: term.IsTerminal(int(out.Fd())), done: make(chan struct{})}
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

// Start begins a phase. A detail tells how far it is.
func (p *Progress) Start(phase string, detail ...func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var tell func() string
	if len(detail) > 0 {
		tell = detail[0]
	}
	p.begin(phase, tell, func(spent time.Duration) string {
		text := fmt.Sprintf("%s, %.0f s", phase, spent.Seconds())
		if tell != nil {
			text += ", " + tell()
		}
		return text + ", " + MemoryInUse().String()
	})
	p.wait, p.told = patience, time.Time{}
}

// StartShare begins a phase of which a share is known to be done, in [0, 1], with a word about it.
// A terminal shows it as a bar.
func (p *Progress) StartShare(phase string, share func() (float64, string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(phase, nil, func(spent time.Duration) string {
		share, detail := share()
		share = min(max(share, 0), 1)
		if !p.terminal {
			return fmt.Sprintf("%s, %.0f %%, %s", phase, 100*share, detail)
		}
		const width = 24
		full := int(share * width)
		return fmt.Sprintf("%s [%s%s] %3.0f %%, %.0f s, %s", phase, strings.Repeat("█", full), strings.Repeat(" ", width-full),
			100*share, spent.Seconds(), detail)
	})
	p.wait, p.told = 0, p.since
}

// begin replaces the phase.
func (p *Progress) begin(phase string, detail func() string, text func(time.Duration) string) {
	p.erase()
	p.phase, p.detail, p.text, p.since = phase, detail, text, time.Now()
}

// tick draws or prints the phase when its time has come.
func (p *Progress) tick(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := now.Sub(p.since)
	switch {
	case p.phase == "" || spent < p.wait:
	case p.terminal:
		fmt.Fprintf(p.out, "\r\033[K%s", p.text(spent))
		p.drawn = true
	case now.Sub(p.told) >= lineInterval:
		fmt.Fprintf(p.out, "%s: %s\n", p.name, p.text(spent))
		p.told = now
	}
}

// Doing describes the current work.
func (p *Progress) Doing() string {
	p.mu.Lock()
	phase, detail := p.phase, p.detail
	p.mu.Unlock()
	if detail != nil {
		phase += ", " + detail()
	}
	return phase
}

// erase removes the drawn line.
func (p *Progress) erase() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\033[K")
		p.drawn = false
	}
}

// Note prints a line without disturbing the drawn one.
func (p *Progress) Note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintln(p.out, line)
}

// Close ends the display. It may be called more than once.
func (p *Progress) Close() {
	p.once.Do(func() { close(p.done) })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.phase = ""
}
