package serve

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"hinge/data/mnist"
	"hinge/train"
)

// explained is the answer to pictures, with why.
type explained struct {
	Model       string             `json:"model_name"`
	Answer      int64              `json:"answer"`
	Pictures    []picture          `json:"pictures"`
	Certificate *train.Certificate `json:"certificate,omitempty"`
	*train.Why
}

// picture is what was made of a picture and what the network alone believes of it.
type picture struct {
	// DarkInk and AsIs are what mnist.Normalise found, Pixels what it made, row by row.
	DarkInk bool      `json:"dark_ink"`
	AsIs    bool      `json:"as_is"`
	Pixels  []byte    `json:"pixels"`
	Digit   int       `json:"digit"`
	Beliefs []float32 `json:"beliefs"`
}

// explain answers pictures in a multipart form, in their order.
func (s *Server) explain(r *http.Request) ([]byte, error) {
	if s.layout.Height != mnist.Side || s.layout.Width != mnist.Side {
		return nil, fail(http.StatusNotFound, "%s does not read digits", s.name)
	}
	form, err := r.MultipartReader()
	if err != nil {
		return nil, fail(http.StatusBadRequest, "want a multipart form of %d pictures: %v", s.layout.Images, err)
	}
	out := explained{Model: s.name}
	example := make([]uint8, s.layout.Images*mnist.Pixels)
	for i := range s.layout.Images {
		pixels := example[i*mnist.Pixels:][:mnist.Pixels]
		layout, err := s.picture(form, pixels)
		if err == io.EOF {
			return nil, fail(http.StatusBadRequest, "%d pictures; %s takes %d", i, s.name, s.layout.Images)
		}
		if err != nil {
			return nil, unreadable(fmt.Errorf("picture %d: %w", i+1, err))
		}
		out.Pictures = append(out.Pictures, picture{DarkInk: layout.DarkInk, AsIs: layout.AsIs, Pixels: pixels})
	}
	if _, err := form.NextPart(); err != io.EOF {
		return nil, fail(http.StatusBadRequest, "more than %d pictures; %s takes no more", s.layout.Images, s.name)
	}
	answers, why, err := s.ask(r.Context(), [][]uint8{example}, true)
	if err != nil {
		return nil, err
	}
	a := &answers[0]
	for i := range out.Pictures {
		p := &out.Pictures[i]
		p.Beliefs = a.Beliefs[i*s.layout.Classes:][:s.layout.Classes]
		p.Digit = train.Argmax(p.Beliefs)
	}
	out.Answer, out.Certificate, out.Why = a.Answer, a.Certificate, why
	return encode(out)
}

// picture reads the next part of a form; io.EOF means that there is none. Few pictures
// are decoded at once: they take memory by their pixels, not by their bytes.
func (s *Server) picture(form *multipart.Reader, pixels []uint8) (mnist.Layout, error) {
	part, err := form.NextPart()
	if err != nil {
		return mnist.Layout{}, err
	}
	data, err := io.ReadAll(part)
	if err != nil {
		return mnist.Layout{}, err
	}
	s.decode <- struct{}{}
	defer func() { <-s.decode }()
	return mnist.ReadPicture(pixels, bytes.NewReader(data), s.set.Pixels)
}
