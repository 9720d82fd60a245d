package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"hinge/app/serve"
	"hinge/train/learning"
)

// darker is a model without a network: it answers which of two images of two pixels has
// more ink.
type darker struct{}

func (darker) Layout() learning.Layout {
	return learning.Layout{Images: 2, Height: 1, Width: 2, Classes: 2}
}

func (darker) Answer(examples [][]uint8) ([]learning.Answer, error) {
	out := make([]learning.Answer, len(examples))
	for i, e := range examples {
		for k := range 2 {
			ink := float32(int(e[2*k])+int(e[2*k+1])) / 510
			out[i].Beliefs = append(out[i].Beliefs, 1-ink, ink)
		}
		if out[i].Beliefs[3] > out[i].Beliefs[1] {
			out[i].Answer = 1
		}
	}
	return out, nil
}

func (darker) Why(int) *learning.Why { return nil }

// A model of one's own is asked for two examples at once.
func ExampleNew() {
	s := serve.New("darker", serve.Options{}, darker{})
	defer s.Close()
	web := httptest.NewServer(s)
	defer web.Close()
	r, err := http.Post(web.URL+"/v2/models/darker/infer", "application/json", strings.NewReader(
		`{"id": "1", "inputs": [{"name": "images", "datatype": "FP32", "shape": [2, 2, 1, 2], "data": [0, 1, 1, 1,  1, 1, 0, 0]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Print(r.Status, "\n", string(text), err)
	// Output:
	// 200 OK
	// {"model_name":"darker","model_version":"1","id":"1","outputs":[{"name":"answer","datatype":"INT64","shape":[2],"data":[1,0]},{"name":"digits","datatype":"FP32","shape":[2,2,2],"data":[0.5,0.5,0,1,0,1,1,0]}]}
	// <nil>
}
