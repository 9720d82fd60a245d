package serve

import (
	"sync"
	"time"
)

// version is the only version of a model.
const version = "1"

// spent is $duration_stat of the protocol.
type spent struct {
	Count uint64        `json:"count"`
	NS    time.Duration `json:"ns"`
}

func (d *spent) add(took time.Duration) {
	d.Count++
	d.NS += took
}

// counts is $model_stats of the protocol, without the parts that are always empty.
type counts struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Last is the time of the last inference in milliseconds since 1970, Examples the number of
	// examples that were answered, Batches how often the model was asked for some.
	Last     int64     `json:"last_inference"`
	Examples int       `json:"inference_count"`
	Batches  uint64    `json:"execution_count"`
	Stats    durations `json:"inference_stats"`
	Sizes    []any     `json:"batch_stats"`
}

// durations are of requests to infer and to explain: those answered, those refused, their wait for the model,
// their reading, the model's work and the making of answers.
type durations struct {
	Success spent `json:"success"`
	Fail    spent `json:"fail"`
	Queue   spent `json:"queue"`
	Input   spent `json:"compute_input"`
	Model   spent `json:"compute_infer"`
	Output  spent `json:"compute_output"`
	Hit     spent `json:"cache_hit"`
	Miss    spent `json:"cache_miss"`
}

// statistics counts for the page of statistics.
type statistics struct {
	mu sync.Mutex
	counts
}

// visit is a request to infer or to explain: when it came, was read and had its answer.
type visit struct {
	examples           int
	began, read, asked time.Time
}

// visited counts a request whose answer is made.
func (m *metrics) visited(v *visit, err error) {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	c, now := &m.stats.counts, time.Now()
	if err != nil {
		c.Stats.Fail.add(now.Sub(v.began))
		return
	}
	c.Last, c.Examples = now.UnixMilli(), c.Examples+v.examples
	c.Stats.Success.add(now.Sub(v.began))
	c.Stats.Input.add(v.read.Sub(v.began))
	c.Stats.Output.add(now.Sub(v.asked))
}

// waited counts how long a request waited for the model.
func (m *metrics) waited(d time.Duration) {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	m.stats.Stats.Queue.add(d)
}

// statistics is the page of statistics.
func (s *Server) statistics() any {
	m := &s.metrics.stats
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.counts
	c.Name, c.Version, c.Sizes = s.name, version, []any{}
	return map[string]any{"model_stats": []counts{c}}
}

// index is the page of the repository, which has one model.
func (s *Server) index() any {
	state, reason := "READY", ""
	if s.ending.Load() {
		state, reason = "UNAVAILABLE", "the server is about to end"
	}
	return []map[string]string{{"name": s.name, "version": version, "state": state, "reason": reason}}
}

// configuration is the page of the model's configuration.
func (s *Server) configuration() any {
	type kind struct {
		Name string `json:"name"`
		Type string `json:"data_type"`
		Dims []int  `json:"dims"`
	}
	of := func(list []tensorKind) (out []kind) {
		for _, k := range list {
			name := k.Datatype
			if name == "BYTES" {
				name = "STRING"
			}
			out = append(out, kind{k.Name, "TYPE_" + name, k.Shape})
		}
		return out
	}
	in, out := s.form.kinds()
	return map[string]any{"name": s.name, "platform": platform, "backend": platform, "max_batch_size": 0, "input": of(in), "output": of(out)}
}
