package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"hinge/data/features"
	"hinge/data/mnist"
	"hinge/nn"
	"hinge/symbolic/psl"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// explained is the answer to pictures, with why.
type explained struct {
	Model       string                `json:"model_name"`
	Answer      int64                 `json:"answer"`
	Tied        bool                  `json:"tied,omitempty"`
	Pictures    []picture             `json:"pictures"`
	Certificate *mapstate.Certificate `json:"certificate,omitempty"`
	*learning.Why
}

// picture is the processed form of a picture and the network's beliefs about it.
type picture struct {
	// DarkInk and AsIs are the findings of mnist.Normalise, Pixels its result, row by row.
	DarkInk bool      `json:"dark_ink"`
	AsIs    bool      `json:"as_is"`
	Pixels  []byte    `json:"pixels"`
	Digit   int       `json:"digit"`
	Beliefs []float32 `json:"beliefs"`
}

// explain answers pictures in a multipart form, in their order.
func (s *Server) explain(v *visit, _ http.Header, r *http.Request) ([]byte, error) {
	if s.layout.Height != mnist.Side || s.layout.Width != mnist.Side {
		return nil, fail(http.StatusNotFound, "%s does not read digits", s.name)
	}
	out := explained{Model: s.name}
	example := make([]uint8, s.layout.Images*mnist.Pixels)
	err := parts(r, fmt.Sprintf("%d pictures", s.layout.Images), func(_ string, data []byte) error {
		i := len(out.Pictures)
		if i == s.layout.Images {
			return fmt.Errorf("more than %d pictures; %s takes no more", i, s.name)
		}
		pixels := example[i*mnist.Pixels:][:mnist.Pixels]
		layout, err := s.readPicture(pixels, data)
		if err != nil {
			return fmt.Errorf("picture %d: %w", i+1, err)
		}
		out.Pictures = append(out.Pictures, picture{DarkInk: layout.DarkInk, AsIs: layout.AsIs, Pixels: pixels})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if n := len(out.Pictures); n < s.layout.Images {
		return nil, fail(http.StatusBadRequest, "%s; %s takes %d", psl.Count(n, "picture"), s.name, s.layout.Images)
	}
	v.examples, v.read = 1, time.Now()
	answers, why, err := s.ask(r.Context(), [][]uint8{example}, true)
	v.asked = time.Now()
	if err != nil {
		return nil, err
	}
	a := &answers[0]
	for i := range out.Pictures {
		p := &out.Pictures[i]
		p.Beliefs = a.Beliefs[i*s.layout.Classes:][:s.layout.Classes]
		p.Digit = nn.Argmax(p.Beliefs)
	}
	out.Answer, out.Tied, out.Certificate, out.Why = a.Answer, a.Tied, a.Certificate, why
	return encode(out)
}

// parts calls each for the parts of a multipart form, with their names, in their order. want
// describes the expected form in errors.
func parts(r *http.Request, want string, each func(name string, data []byte) error) error {
	form, err := r.MultipartReader()
	if err != nil {
		return fail(http.StatusBadRequest, "want a multipart form of %s: %v", want, err)
	}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return nil
		}
		var data []byte
		if err == nil {
			data, err = io.ReadAll(part)
		}
		if err == nil {
			err = each(strings.ReplaceAll(part.FormName(), "%22", `"`), data) // forms write the quotes of a name so
		}
		if err != nil {
			return unreadable(err)
		}
	}
}

// readPicture lays a picture out as an image of MNIST. Few pictures are decoded at once: they
// take memory by their pixels, not by their bytes.
func (s *Server) readPicture(pixels []uint8, data []byte) (mnist.Layout, error) {
	s.decode <- struct{}{}
	defer func() { <-s.decode }()
	return mnist.ReadPicture(pixels, bytes.NewReader(data), s.set.Pixels)
}

// ownPicture reads a picture as those of the folder that a model learned from.
func (s *Server) ownPicture(data []byte, shape []int) ([]float32, error) {
	s.decode <- struct{}{}
	defer func() { <-s.decode }()
	return features.ReadPicture(bytes.NewReader(data), shape, s.set.Pixels)
}
