package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"hinge/app/serve"
	"hinge/data/mnist"
	"hinge/tasks/mnistadd"
	"hinge/train/learning"
)

// programs are the names that a Chromium goes by.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// tab opens a tab of a Chromium and collects what goes wrong in it.
func tab(t *testing.T) (ctx context.Context, complaints func() []string) {
	t.Helper()
	program := ""
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skipf("there is no Chromium here: none of %s is found; apt-get install chromium", strings.Join(programs, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.WindowSize(1000, 900), chromedp.WSURLReadTimeout(time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root with one
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	var wrong []string
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			wrong = append(wrong, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			for _, a := range e.Args {
				wrong = append(wrong, fmt.Sprintf("%s: %s", e.Type, a.Value))
			}
		}
	})
	return ctx, func() []string { return wrong }
}

// model is one that has learned nothing, with its server.
func model(t *testing.T) (learning.Model, string) {
	t.Helper()
	c := mnistadd.Defaults(1, "energy", "best", 40)
	c.Task, c.Training.Batch, c.Neural.Samples, c.Neural.Views = "mnist-add1", 4, 2, 1
	m, err := mnistadd.Open(c, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	answers, err := m.(learning.Answerer).Answers()
	if err != nil {
		t.Fatal(err)
	}
	s := serve.New("mnist-add1", serve.Options{Log: slog.New(slog.DiscardHandler)}, answers)
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); s.Close() })
	return m, h.URL
}

// shown is what the page shows of an answer.
type shown struct {
	Answer, Sentence, Error, Certificate string
	Pictures, Beliefs, Supports, Forces  int
	Digits                               []string
	Differs                              bool      // is said of digits and answer
	Ink                                  []float64 // of each picture, its mean
}

const look = `(() => {
	const all = (q) => [...document.querySelectorAll(q)];
	const text = (q) => document.querySelector(q).textContent;
	return {
		Answer: document.querySelector("#sentence").dataset.answer || "", Sentence: text("#sentence"),
		Error: document.querySelector("#error").hidden ? "" : text("#error"), Certificate: text("#certificate"),
		Pictures: all(".picture").length, Beliefs: all(".picture tr").length, Supports: all(".support").length, Forces: all(".support td.n").length,
		Digits: all(".picture th").map((e) => e.textContent), Differs: !document.querySelector("#differs").hidden,
		Ink: all(".picture canvas").map((c) => {
			const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
			let sum = 0;
			for (let i = 0; i < d.length; i += 4) sum += 255 - d[i];
			return sum / (d.length / 4);
		}),
	};
})()`

// drag draws a line in a box with the mouse, from and to in shares of its sides.
func drag(box int, from, to [2]float64) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		var r [4]float64
		if err := chromedp.Evaluate(fmt.Sprintf(`(() => { const b = document.querySelectorAll(".box")[%d]; b.scrollIntoView();
			const r = b.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`, box), &r).Do(ctx); err != nil {
			return err
		}
		at := func(p [2]float64) (x, y float64) { return r[0] + p[0]*r[2], r[1] + p[1]*r[3] }
		x, y := at(from)
		if err := input.DispatchMouseEvent(input.MousePressed, x, y).WithButton(input.Left).WithClickCount(1).Do(ctx); err != nil {
			return err
		}
		const steps = 8
		for i := range steps {
			s := float64(i+1) / steps
			x, y := at([2]float64{from[0] + s*(to[0]-from[0]), from[1] + s*(to[1]-from[1])})
			if err := input.DispatchMouseEvent(input.MouseMoved, x, y).WithButton(input.Left).WithButtons(1).Do(ctx); err != nil {
				return err
			}
		}
		x, y = at(to)
		return input.DispatchMouseEvent(input.MouseReleased, x, y).WithButton(input.Left).WithClickCount(1).Do(ctx)
	})
}

// ask presses the button and reads what the page shows then.
func ask(out *shown) chromedp.Tasks {
	return chromedp.Tasks{
		chromedp.Click("#sum", chromedp.ByQuery),
		chromedp.Poll(`!document.querySelector("#sum").disabled && !(document.querySelector("#answer").hidden && document.querySelector("#error").hidden)`, nil),
		chromedp.Evaluate(look, out),
	}
}

// files are images of MNIST as pictures of one's own, dark on light and larger.
func files(t *testing.T, n int) []string {
	t.Helper()
	set, err := mnist.Load("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out := make([]string, n)
	for k := range out {
		const zoom = 5
		m := image.NewGray(image.Rect(0, 0, zoom*mnist.Side, zoom*mnist.Side))
		for i := range m.Pix {
			x, y := i%m.Stride/zoom, i/m.Stride/zoom
			m.Pix[i] = 255 - set.Test.Raw(k)[y*mnist.Side+x]
		}
		var file bytes.Buffer
		if err := png.Encode(&file, m); err != nil {
			t.Fatal(err)
		}
		out[k] = filepath.Join(dir, strconv.Itoa(k)+".png")
		if err := os.WriteFile(out[k], file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Digits that are drawn with the mouse, and pictures that are chosen or dropped, are
// answered as the same pictures are without a browser, and shown with why. Nothing goes
// wrong in the page meanwhile.
func TestPage(t *testing.T) {
	ctx, complaints := tab(t)
	m, url := model(t)
	pictures := files(t, 2)

	var empty, half, drawn, chosen, dropped shown
	var boxes, cleared int
	upload := func(number int, path string) chromedp.Action {
		return chromedp.SetUploadFiles(fmt.Sprintf("fieldset:nth-of-type(%d) input[type=file]", number), []string{path}, chromedp.ByQuery)
	}
	label := func(box int, want string) chromedp.Action {
		return chromedp.Poll(fmt.Sprintf(`document.querySelectorAll(".box")[%d].getAttribute("aria-label").endsWith(%q)`, box, want), nil)
	}
	drop := func(box int, path string) chromedp.Action {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return chromedp.Evaluate(fmt.Sprintf(`(() => {
			const t = new DataTransfer();
			t.items.add(new File([Uint8Array.from(%s)], "dropped.png", {type: "image/png"}));
			document.querySelectorAll(".box")[%d].dispatchEvent(new DragEvent("drop", {dataTransfer: t, bubbles: true, cancelable: true}));
		})()`, numbers(data), box), nil)
	}
	err := chromedp.Run(ctx,
		chromedp.Navigate(url+"/"),
		chromedp.Evaluate(`document.querySelectorAll(".box").length`, &boxes),
		ask(&empty),
		drag(0, [2]float64{.5, .2}, [2]float64{.5, .8}),
		ask(&half),
		drag(1, [2]float64{.3, .25}, [2]float64{.7, .25}), drag(1, [2]float64{.7, .25}, [2]float64{.45, .8}),
		ask(&drawn),
		upload(1, pictures[0]), label(0, "0.png"), upload(2, pictures[1]), label(1, "1.png"),
		ask(&chosen),
		chromedp.Click(".clear", chromedp.ByQuery),
		chromedp.Evaluate(`[...document.querySelectorAll(".box")].filter((b) => b.getAttribute("aria-label").endsWith("empty")).length`, &cleared),
		drop(0, pictures[0]), label(0, "dropped.png"),
		ask(&dropped),
	)
	if err != nil {
		t.Fatal(err)
	}
	if boxes != 2 || cleared != 1 {
		t.Errorf("%d boxes, %d of them empty after one was cleared", boxes, cleared)
	}
	if empty.Error != "There is nothing in the first number, digit 1." || half.Error != "There is nothing in the second number, digit 1." {
		t.Errorf("with no digit: %q, with one: %q", empty.Error, half.Error)
	}
	const tied = ", one of several sums that are equally good"
	for name, s := range map[string]shown{"drawn": drawn, "chosen": chosen, "dropped": dropped} {
		if s.Error != "" || s.Pictures != 2 || s.Beliefs != 20 || len(s.Digits) != 2 || s.Supports != 3 || s.Forces == 0 ||
			strings.TrimSuffix(s.Sentence, tied) != s.Digits[0]+" + "+s.Digits[1]+" = "+s.Answer || !strings.Contains(s.Certificate, "all satisfied") {
			t.Errorf("%s: %+v", name, s)
		}
		if sum := number(t, s.Digits[0]) + number(t, s.Digits[1]); s.Differs != (sum != number(t, s.Answer)) {
			t.Errorf("%s: digits that add up to %d and answer %s: %v", name, sum, s.Answer, s.Differs)
		}
	}
	for i, ink := range drawn.Ink {
		if ink < 10 || ink > 100 {
			t.Errorf("drawn: picture %d has mean ink %v", i, ink)
		}
	}
	want, err := learning.Predict(m, pictures)
	if err != nil {
		t.Fatal(err)
	}
	p := want.(*mnistadd.Prediction)
	for name, s := range map[string]shown{"chosen": chosen, "dropped": dropped} {
		if s.Answer != fmt.Sprint(p.Additions[0].Answer) || s.Digits[0] != fmt.Sprint(p.Images[0].Digit) || s.Digits[1] != fmt.Sprint(p.Images[1].Digit) ||
			strings.HasSuffix(s.Sentence, tied) != p.Additions[0].Tied {
			t.Errorf("%s: %+v, -predict says %+v", name, s, p)
		}
		if math.Abs(s.Ink[0]-chosen.Ink[0]) > 1e-9 || s.Ink[0] == drawn.Ink[0] {
			t.Errorf("%s: ink %v", name, s.Ink)
		}
	}
	if wrong := complaints(); len(wrong) > 0 {
		t.Errorf("the page complains: %q", wrong)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	v, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// numbers is an array of bytes in JavaScript.
func numbers(data []byte) string {
	out := []byte("[")
	for _, b := range data {
		out = append(strconv.AppendInt(out, int64(b), 10), ',')
	}
	return string(append(out, ']'))
}
