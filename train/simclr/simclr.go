package simclr

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"gorgonia.org/gorgonia"

	"hinge/data/mnist"
	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/optim"
	"hinge/train/checkpoint"
)

// Options are the inputs of a pre-training besides its settings.
type Options struct {
	// Cache is the folder of finished and unfinished pre-trainings; empty means
	// hinge/simclr in the user's cache folder.
	Cache string
	// Note, if not nil, is called with lines that report progress.
	Note func(line string)
}

// projection prefixes the names of the projection head's parameters.
const projection = "projection"

// Streams of the seed.
const (
	initStream  = 0x73696d636c72 // "simclr"
	orderStream = 0x6f72646572   // "order"
	viewStream  = 0x7669657773   // "views"
)

// How often there is news, and a checkpoint.
const (
	noteInterval       = 10 * time.Second
	checkpointInterval = time.Minute
)

// Pretrain returns the backbone's parameters and buffers after pre-training on the given
// images of part, and the wall seconds of the pre-training, now or when the parameters were
// made. Order and number of the images matter: pass a split's training images in the split's
// order.
func Pretrain(ctx context.Context, c Config, part *mnist.Part, images []int32, o Options) ([]nn.Tensor[float32], float64, error) {
	if err := c.check(len(images)); err != nil {
		return nil, 0, err
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if o.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, 0, fmt.Errorf("simclr: no cache folder: %w", err)
		}
		o.Cache = filepath.Join(dir, "hinge", "simclr")
	}
	store, err := checkpoint.Open(filepath.Join(o.Cache, c.digest(part, images)), checkpoint.Options{Keep: 1})
	if err != nil {
		return nil, 0, fmt.Errorf("simclr: %w", err)
	}
	r, err := newRun(c, part, images)
	if err != nil {
		return nil, 0, err
	}
	if err := r.restore(store, o.Note); err != nil {
		return nil, 0, err
	}
	if err := r.train(ctx, store, o.Note); err != nil {
		return nil, 0, err
	}
	backbone := slices.DeleteFunc(r.net.Params().Export(), func(t nn.Tensor[float32]) bool { return strings.HasPrefix(t.Name, projection) })
	return backbone, r.state.Seconds, nil
}

// run is a pre-training under way.
type run struct {
	c      Config
	part   *mnist.Part
	images []int32
	aug    *mnist.Augmenter
	net    *nn.Net[float32]
	graph  *nn.Graph[float32]
	params []optim.Param
	adam   *optim.Adam
	batch  int // images a step
	steps  int // of an epoch
	views  []float32
	state  state
}

// state is the JSON half of a checkpoint.
type state struct {
	Step    int     `json:"step"` // completed steps
	Adam    int64   `json:"adam_step"`
	Seconds float64 `json:"seconds"`
	Loss    float64 `json:"loss"` // of the last step
}

func newRun(c Config, part *mnist.Part, images []int32) (*run, error) {
	r := &run{c: c, part: part, images: images, batch: min(c.Batch, len(images))}
	r.steps = len(images) / r.batch
	r.views = make([]float32, 2*r.batch*mnist.Pixels)
	var err error
	if r.aug, err = mnist.NewAugmenter(c.Views, c.Seed^viewStream); err != nil {
		return nil, err
	}
	shape := c.Backbone
	shape.Head = mlp.Config{}
	r.net, err = nn.New([]int{mnist.Side, mnist.Side}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		x = resnet18.Apply(b, x, shape)
		return mlp.Apply(b, projection, x, mlp.Config{Hidden: []int{c.Projection}, Out: c.Projection})
	}, rand.New(rand.NewPCG(c.Seed, initStream)))
	if err != nil {
		return nil, err
	}
	if r.graph, err = r.net.Graph(2*r.batch, true); err != nil {
		return nil, err
	}
	loss := r.graph.Builder().InfoNCE("infonce", r.graph.Output, c.Temperature)
	if _, err := r.graph.Compile(loss); err != nil {
		return nil, err
	}
	for _, p := range r.net.Params().Trainable() {
		r.params = append(r.params, optim.Param{Name: p.Name, Value: p.Value, Grad: p.Grad, Live: p.Live})
	}
	r.adam, err = optim.NewAdam(r.params, optim.AdamOptions{})
	return r, err
}

// train goes on to the last step and leaves a checkpoint of it.
func (r *run) train(ctx context.Context, store *checkpoint.Store, note func(string)) error {
	total := r.c.Epochs * r.steps
	if r.state.Step >= total {
		note(fmt.Sprintf("simclr: backbone from the cache, made in %.0f s", r.state.Seconds))
		return nil
	}
	rate := r.c.rate()
	began, before := time.Now(), r.state.Seconds
	noted, saved := time.Time{}, time.Now()
	for r.state.Step < total {
		epoch := r.state.Step / r.steps
		r.load(epoch)
		if err := r.graph.Run(r.views); err != nil {
			return fmt.Errorf("simclr: step %d: %w", r.state.Step+1, err)
		}
		if _, err := r.adam.StepClipped(rate.At(epoch), 0); err != nil {
			return fmt.Errorf("simclr: step %d: %w", r.state.Step+1, err)
		}
		r.state.Step++
		r.state.Loss = r.graph.Loss()
		r.state.Seconds = before + time.Since(began).Seconds()
		if time.Since(noted) >= noteInterval {
			left := time.Duration(r.state.Seconds / float64(r.state.Step) * float64(total-r.state.Step) * float64(time.Second))
			note(fmt.Sprintf("simclr: epoch %d of %d, loss %.4f, %v left", epoch+1, r.c.Epochs, r.state.Loss, left.Round(time.Second)))
			noted = time.Now()
		}
		if done := r.state.Step == total; done || ctx.Err() != nil || time.Since(saved) >= checkpointInterval {
			if err := r.save(store); err != nil {
				return fmt.Errorf("simclr: %w", err)
			}
			saved = time.Now()
			if !done && ctx.Err() != nil {
				return fmt.Errorf("simclr: stopped after %d of %d steps: %w", r.state.Step, total, context.Cause(ctx))
			}
		}
	}
	return nil
}

// load fills the input of the next step: view 0 of the batch's images, then view
// 1, both functions of the seed, the step and the place.
func (r *run) load(epoch int) {
	order := rand.New(rand.NewPCG(r.c.Seed, orderStream+uint64(epoch)<<40)).Perm(len(r.images))
	order = order[r.state.Step%r.steps*r.batch:][:r.batch]
	var g errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		g.Go(func() error {
			for k := worker; k < 2*r.batch; k += workers {
				raw := r.part.Raw(int(r.images[order[k%r.batch]]))
				r.aug.Apply(r.views[k*mnist.Pixels:(k+1)*mnist.Pixels], raw, uint64(r.state.Step), uint64(k))
			}
			return nil
		})
	}
	_ = g.Wait() // the workers return no errors
}

func (r *run) save(store *checkpoint.Store) error {
	adam := r.adam.State()
	r.state.Adam = adam.Step
	var out []checkpoint.Tensor
	for _, t := range r.net.Params().Export() {
		out = append(out, checkpoint.NewTensor(t.Name, t.Data, t.Shape...))
	}
	if r.state.Step < r.c.Epochs*r.steps { // moments are of no use afterwards
		for i, p := range r.params {
			out = append(out, checkpoint.NewTensor(momentM+p.Name, adam.M[i]), checkpoint.NewTensor(momentV+p.Name, adam.V[i]))
		}
	}
	return store.Save(int64(r.state.Step), r.state, out)
}

// Prefixes of the names of Adam's moments.
const (
	momentM = "adam.m/"
	momentV = "adam.v/"
)

// restore reads the newest good checkpoint, if there is one.
func (r *run) restore(store *checkpoint.Store, note func(string)) error {
	c, err := store.Latest(func(name string, err error) {
		note(fmt.Sprintf("simclr: skipping damaged checkpoint %s: %v", name, err))
	})
	if errors.Is(err, checkpoint.ErrNone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("simclr: %w", err)
	}
	if err := c.State(&r.state); err != nil {
		return err
	}
	var in []nn.Tensor[float32]
	for _, p := range r.net.Params().All() {
		data := make([]float32, len(p.Value))
		if err := checkpoint.Read(c, p.Name, data); err != nil {
			return err
		}
		in = append(in, nn.Tensor[float32]{Name: p.Name, Shape: p.Shape, Data: data})
	}
	if err := r.net.Params().Import(in); err != nil {
		return err
	}
	if r.state.Step >= r.c.Epochs*r.steps {
		return nil
	}
	adam := r.adam.State()
	adam.Step = r.state.Adam
	for i, p := range r.params {
		if err := checkpoint.Read(c, momentM+p.Name, adam.M[i]); err != nil {
			return err
		}
		if err := checkpoint.Read(c, momentV+p.Name, adam.V[i]); err != nil {
			return err
		}
	}
	return nil
}
