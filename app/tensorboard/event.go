package tensorboard

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of the messages Event, Summary, Summary.Value, SummaryMetadata, Summary.Image
// and HistogramProto, as TensorFlow's event.proto, summary.proto and histogram.proto
// number them.
const (
	eventWall, eventStep, eventVersion, eventSummary = 1, 2, 3, 5

	summaryValue = 1

	valueTag, valueScalar, valueImage, valueHistogram, valueMetadata = 1, 2, 4, 5, 9

	metadataDescription = 3

	imageHeight, imageWidth, imageColours, imagePNG = 1, 2, 3, 4

	histogramMin, histogramMax, histogramCount, histogramSum, histogramSquares = 1, 2, 3, 4, 5
	histogramLimit, histogramBucket                                            = 6, 7
)

// versionEvent is the first of a file.
func versionEvent(wall float64) []byte {
	return text(double(nil, eventWall, wall), eventVersion, "brain.Event:2")
}

// event is all that is known of one step.
type event struct{ values []byte }

// encode returns the message, nil where there is nothing to tell.
func (e *event) encode(wall float64, step int) []byte {
	if e.values == nil {
		return nil
	}
	return message(whole(double(nil, eventWall, wall), eventStep, step), eventSummary, e.values)
}

func (e *event) add(value []byte) { e.values = message(e.values, summaryValue, value) }

func (e *event) scalar(tag string, v float64) {
	b := protowire.AppendTag(text(nil, valueTag, tag), valueScalar, protowire.Fixed32Type)
	e.add(protowire.AppendFixed32(b, math.Float32bits(float32(v))))
}

// buckets is how many a histogram has.
const buckets = 30

// histogram adds finite values, at least one.
func (e *event) histogram(tag string, values []float64) {
	low, high := slices.Min(values), slices.Max(values)
	width := (high - low) / buckets
	if width == 0 {
		width = math.Max(math.Abs(low), 1) / buckets // all in the first bucket
	}
	limits, counts := make([]float64, buckets), make([]float64, buckets)
	for i := range limits {
		limits[i] = low + float64(i+1)*width
	}
	sum, squares := 0.0, 0.0
	for _, v := range values {
		counts[min(int((v-low)/width), buckets-1)]++
		sum, squares = sum+v, squares+v*v
	}
	b := double(double(nil, histogramMin, low), histogramMax, high)
	b = double(double(double(b, histogramCount, float64(len(values))), histogramSum, sum), histogramSquares, squares)
	b = doubles(doubles(b, histogramLimit, limits), histogramBucket, counts)
	e.add(message(text(nil, valueTag, tag), valueHistogram, b))
}

// picture adds a grey PNG with its description.
func (e *event) picture(tag, description string, width, height int, png []byte) {
	image := whole(whole(whole(nil, imageHeight, height), imageWidth, width), imageColours, 1)
	b := message(text(nil, valueTag, tag), valueImage, message(image, imagePNG, png))
	e.add(message(b, valueMetadata, text(nil, metadataDescription, description)))
}

func double(b []byte, field protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(v))
}

// doubles is a packed list.
func doubles(b []byte, field protowire.Number, list []float64) []byte {
	var packed []byte
	for _, v := range list {
		packed = protowire.AppendFixed64(packed, math.Float64bits(v))
	}
	return message(b, field, packed)
}

func whole(b []byte, field protowire.Number, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func text(b []byte, field protowire.Number, v string) []byte { return message(b, field, []byte(v)) }

func message(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}
