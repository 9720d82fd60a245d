// Package servetest makes requests that a server must survive.
//
//	requests := servetest.NewMalformed(seed, "mnist-add2", valid)
//	err := requests.Send(client, "http://127.0.0.1:8080", 1000, func(status int) { … })
//
// Nearly all of them are not of the protocol; a few are by chance, and are answered. A
// Malformed is for one goroutine.
package servetest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Malformed makes requests from a seed.
type Malformed struct {
	rng   *rand.Rand
	model string
	valid []byte
}

// NewMalformed spoils requests to a model that are like valid, a body for /infer.
func NewMalformed(seed uint64, model string, valid []byte) *Malformed {
	return &Malformed{rand.New(rand.NewPCG(seed, 0x6d616c)), model, valid}
}

// Send sends n requests to a server, one after the other, and tells the status of each, 0
// for a connection that was closed on what is not HTTP. An error is a server that does
// not answer.
func (m *Malformed) Send(client *http.Client, url string, n int, each func(status int)) error {
	for range n {
		var status int
		var err error
		if m.rng.IntN(50) == 0 {
			err = m.raw(strings.TrimPrefix(url, "http://"))
		} else {
			status, err = m.request(client, url)
		}
		if err != nil {
			return err
		}
		each(status)
	}
	return nil
}

// raw sends bytes that are not HTTP, or the beginning of a request, sends no more, and waits
// until the server has hung up: what it makes of the bytes does not race with what follows.
func (m *Malformed) raw(addr string) error {
	c, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // nothing of worth is written any more
	text := fmt.Appendf(nil, "POST /v2/models/%s/infer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", m.model, len(m.valid), m.valid)
	text = m.spoil(text[:m.rng.IntN(len(text))])
	_, _ = c.Write(text) // the server may have hung up already
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, _ = io.Copy(io.Discard, c)
	return nil
}

// request sends one request over HTTP.
func (m *Malformed) request(client *http.Client, url string) (status int, err error) {
	path := "/v2/models/" + m.model + "/infer"
	method, kind, body := http.MethodPost, "application/json", m.spoil(m.valid)
	switch m.rng.IntN(12) {
	case 0:
		path = "/" + strings.ReplaceAll(strings.Map(printable, string(m.bytes(30))), "%", "%25")
	case 1:
		method = []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodPatch, "ODD"}[m.rng.IntN(5)]
	case 2:
		path = "/v2/models/" + m.model + "/explain"
	case 3:
		path, kind = "/v2/models/"+m.model+"/explain", "multipart/form-data; boundary=x"
		body = m.spoil(slices.Concat([]byte("--x\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\n"), png[:m.rng.IntN(len(png)+1)], []byte("\r\n--x--\r\n")))
	case 4:
		kind = string(bytes.Map(printable, m.bytes(20)))
	}
	r, err := http.NewRequest(method, url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", kind)
	switch m.rng.IntN(12) {
	case 0:
		r.Header.Set("Inference-Header-Content-Length", strconv.Itoa(m.rng.IntN(len(m.valid)+2)-1))
	case 1:
		r.Header.Set("Content-Encoding", []string{"gzip", "deflate", "br"}[m.rng.IntN(3)])
	}
	a, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer a.Body.Close()
	_, err = io.Copy(io.Discard, a.Body)
	return a.StatusCode, err
}

// png begins as a picture that would be 30,000 pixels wide and high.
var png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x75\x30\x00\x00\x75\x30\x08\x00\x00\x00\x00\x00\x00\x00\x00")

// printable keeps what may stand in a path or a header.
func printable(r rune) rune {
	if r > ' ' && r < 0x7f {
		return r
	}
	return 'x'
}

func (m *Malformed) bytes(most int) []byte {
	out := make([]byte, 1+m.rng.IntN(most))
	for i := range out {
		out[i] = byte(m.rng.Uint32())
	}
	return out
}

// tokens are pieces that requests are made of, and some that they should not be.
var tokens = []string{"[", "]", "{", "}", ",", ":", "null", "true", "-1", "2", "1e999", "1e-999", "NaN", "\"", "\\u0000", "\xff", "\"shape\"",
	"\"data\"", "\"inputs\"", "\"FP64\"", "[[[[", "]]]]", "18446744073709551616", "0x1p3", " ", "\"id\":", "\"parameters\":{\"binary_data_size\":8}"}

// spoil changes a few places of a text.
func (m *Malformed) spoil(text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + m.rng.IntN(4) {
		if len(text) == 0 {
			return text
		}
		at := m.rng.IntN(len(text))
		if m.rng.IntN(2) == 0 { // what is before the data matters most
			at = min(at, m.rng.IntN(200))
		}
		end := min(len(text), at+m.rng.IntN(20))
		switch m.rng.IntN(6) {
		case 0:
			text[at] ^= byte(1 << m.rng.IntN(8))
		case 1:
			text = slices.Delete(text, at, end)
		case 2:
			text = slices.Insert(text, at, []byte(tokens[m.rng.IntN(len(tokens))])...)
		case 3:
			text = slices.Replace(text, at, end, []byte(tokens[m.rng.IntN(len(tokens))])...)
		case 4:
			text = text[:at]
		case 5:
			text = slices.Insert(text, at, m.bytes(30)...)
		}
	}
	return text
}
