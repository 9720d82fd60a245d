package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"hinge/data/mnist"
	trained "hinge/train/record"
)

// addition is learning to add from sums.
var addition = question{
	name: "addition", title: "MNIST addition to an accuracy",
	about: fmt.Sprintf("Digits are learned from %d sums of two images, with no digit known, until %.0f %% of the sums of MNIST's own 10,000 test images in pairs are right; all programs see the same images and sums, and LeNet reads them. "+
		"Learning follows the example of each system. Of a peer the seconds begin with the program, and its measurements of the accuracy after each thousand sums are left out. Hinge is the command `train` as a whole: "+
		"reading the data, checkpoints, validation and test, all of which count; its number of epochs was chosen by the validation sums and by looking at these.", trainSums, 100*wantAccuracy),
	behind:   "No peer is ahead. DeepLog, which compiles the sum once for all images, is nearest.",
	unequal:  "Hinge's LeNet has batch normalisation, and Hinge learns from draws of the outputs; batches are 2 sums of DeepProbLog, 30 of Hinge and 32 of the others, as their examples have it.",
	patience: 8,
	groups: func(quick bool) []group {
		sums, target := trainSums, wantAccuracy
		if quick {
			sums, target = 300, .2
		}
		g := group{name: fmt.Sprintf("%d sums, %.0f %%", sums, 100*target), threads: 2, cases: []ask{{"learning", ""}},
			prepare: func(ctx context.Context, dir string) (judge, error) { return prepareAddition(ctx, dir, sums, target) }}
		flags := []string{"DIR/train", "-task", "mnist-add1", "-additions", fmt.Sprint(sums), "-network", "lenet", "-epochs", fmt.Sprint(ownEpochs), "-quiet", "-out", "DIR/run"}
		for _, s := range ownSettings {
			flags = append(flags, "-set", s)
		}
		wanted := fmt.Sprint(target)
		g.sides = []side{
			{name: "Hinge", args: flags, whole: true, program: true},
			{name: "DeepProbLog", env: "deepproblog", args: []string{"addition.py", "deepproblog", "DIR", wanted}, whole: true},
			{name: "DeepLog", env: "deeplog", args: []string{"addition.py", "deeplog", "DIR", wanted}, whole: true},
			{name: "LTNtorch", env: "ltntorch", args: []string{"addition.py", "ltn", "DIR", wanted}, whole: true},
		}
		return []group{g}
	},
}

const (
	trainSums    = 3000
	wantAccuracy = .9
	// ownEpochs is how long Hinge learns.
	ownEpochs = 3
)

// ownSettings of Hinge are for a run as short as this: no distorted images, no warm-up, and a
// test of plain images, as the peers have it.
var ownSettings = []string{"training.fresh-test=true", "neural.test-views=0", "neural.augment=none", "neural.warmup-epochs=0"}

// prepareAddition writes the images and sums of the first split and builds train.
func prepareAddition(ctx context.Context, dir string, sums int, target float64) (judge, error) {
	set, err := mnist.Load(os.Getenv("HINGE_DATA"))
	if err != nil {
		return nil, err
	}
	all := set.All()
	split, err := mnist.NewSplit(all, 1, sums, 0)
	if err != nil {
		return nil, err
	}
	root, err := repository()
	if err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "train"), "./cmd/train")
	build.Dir, build.Stderr = root, os.Stderr
	if err := errors.Join(build.Run(), writeSums(dir, "train", all, split.Train), writeSums(dir, "fresh", all, split.Fresh)); err != nil {
		return nil, err
	}
	return func(name string, _ ask, a *answer) (string, error) {
		if name != "Hinge" {
			return "", nil
		}
		run := filepath.Join(dir, "run")
		text, err := os.ReadFile(filepath.Join(run, "result.json"))
		var res trained.Result
		if err == nil {
			err = json.Unmarshal(text, &res)
		}
		if err = errors.Join(err, os.RemoveAll(run)); err != nil {
			return "", err
		}
		a.Figures = map[string]float64{"accuracy": res.FreshAccuracy, "sums seen": float64(sums * ownEpochs)}
		if res.FreshAccuracy < target {
			return fmt.Sprintf("%.1f %% of the sums are right", 100*res.FreshAccuracy), nil
		}
		return "", nil
	}, nil
}

// writeSums writes the images of additions, as bytes, and their sums.
func writeSums(dir, name string, part *mnist.Part, a mnist.Additions) error {
	var pixels []uint8
	for _, i := range a.Images {
		pixels = append(pixels, part.Raw(int(i))...)
	}
	sums := make([]int32, a.Len())
	for i := range sums {
		for _, image := range a.Row(i) {
			sums[i] += int32(part.Label(int(image)))
		}
	}
	return errors.Join(write(dir, name+"_images", pixels), write(dir, name+"_sums", sums))
}
