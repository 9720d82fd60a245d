package serve

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"hinge/train/mapstate"
)

// metrics are the figures of one server on /metrics.
type metrics struct {
	registry *prometheus.Registry
	held     prometheus.Gauge
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	examples prometheus.Histogram
	model    prometheus.Histogram
	gap      prometheus.Histogram
	unmet    prometheus.Counter
	stats    statistics
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		held: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "hinge_requests_held", Help: "Requests for answers that are read, wait or are answered."}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hinge_requests_total", Help: "Requests, by path and status."}, []string{"path", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hinge_request_seconds", Help: "Time from a request's header to its answer.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}}, []string{"path"}),
		examples: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hinge_batch_examples", Help: "Examples that are answered together.", Buckets: prometheus.ExponentialBuckets(1, 2, 8)}),
		model: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hinge_batch_seconds", Help: "Time of network and MAP inference for a batch.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1}}),
		gap: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hinge_answer_gap", Help: "Primal-dual gap of answers, judged outside the solver; of those that are none because hard rules contradict each other there is none.",
			Buckets: []float64{1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2}}),
		unmet: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "hinge_unmet_total", Help: "Answers that do not satisfy all hard rules, or are none because these contradict each other."}),
	}
	m.registry.MustRegister(m.held, m.requests, m.seconds, m.examples, m.model, m.gap, m.unmet,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// batch counts the examples that the model answered at once.
func (m *metrics) batch(examples int, took time.Duration) {
	m.examples.Observe(float64(examples))
	m.model.Observe(took.Seconds())
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	m.stats.Batches++
	m.stats.Stats.Model.add(took)
}

// answer counts an answer by its certificate, which may be nil.
func (m *metrics) answer(c *mapstate.Certificate) {
	if c == nil {
		return
	}
	if c.Judgement != nil {
		m.gap.Observe(c.Gap)
	}
	if len(c.Unmet) > 0 {
		m.unmet.Inc()
	}
}
