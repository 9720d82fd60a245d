package onnxnet

import (
	"math"

	"hinge/nn"
)

// operator computes the node in work.
type operator[T nn.Float] func(c *context[T])

// entry is an operator that is understood: it has that many inputs at least, and makes as many
// outputs at most.
type entry[T nn.Float] struct {
	make           operator[T]
	least, outputs int
}

// operators returns the operators that are understood, by name.
func operators[T nn.Float]() map[string]entry[T] {
	m := map[string]entry[T]{
		// layers
		"Conv": {conv[T], 2, 1}, "ConvTranspose": {convTranspose[T], 2, 1}, "Gemm": {gemm[T], 2, 1}, "MatMul": {matMul[T], 2, 1},
		"BatchNormalization": {batchNorm[T], 5, 1}, "InstanceNormalization": {instanceNorm[T], 3, 1},
		"LayerNormalization": {layerNorm[T], 2, 3}, "GroupNormalization": {groupNorm[T], 3, 1},
		"MaxPool": {maxPool[T], 1, 2}, "AveragePool": {averagePool[T], 1, 1},
		"GlobalAveragePool": {global[T](nn.ReduceMean), 1, 1}, "GlobalMaxPool": {global[T](nn.ReduceMax), 1, 1},
		"LSTM": {recurrent[T](4), 3, 3}, "GRU": {recurrent[T](3), 3, 2}, "RNN": {recurrent[T](1), 3, 2},
		"Dropout": {dropout[T], 1, 2}, "Softmax": {softmax[T](false), 1, 1}, "LogSoftmax": {softmax[T](true), 1, 1},
		"Einsum": {einsum[T], 1, 1}, "Resize": {resize[T], 1, 1}, "Upsample": {resize[T], 1, 1},
		// numbers
		"Relu": {relu[T], 1, 1}, "Clip": {clip[T], 1, 1}, "Cast": {cast[T], 1, 1}, "CastLike": {castLike[T], 2, 1}, "Identity": {identity[T], 1, 1}, "Where": {where[T], 3, 1},
		// shapes
		"Flatten": {flatten[T], 1, 1}, "Reshape": {reshape[T], 2, 1}, "Transpose": {transpose[T], 1, 1}, "Squeeze": {squeeze[T], 1, 1},
		"Unsqueeze": {unsqueeze[T], 1, 1}, "Shape": {shapeOf[T], 1, 1}, "Size": {sizeOf[T], 1, 1}, "Expand": {expand[T], 2, 1}, "Tile": {tile[T], 2, 1},
		"ConstantOfShape": {constantOfShape[T], 1, 1}, "Range": {rangeOf[T], 3, 1},
		"DepthToSpace": {depthToSpace[T], 1, 1}, "SpaceToDepth": {spaceToDepth[T], 1, 1},
		// parts
		"Concat": {concat[T], 1, 1}, "Split": {split[T], 1, math.MaxInt}, "Slice": {slice[T], 1, 1}, "Pad": {pad[T], 1, 1}, "Gather": {gather[T], 2, 1},
		// classical models
		"ml.Scaler": {scaler[T], 1, 1}, "ml.LinearClassifier": {linearClassifier[T], 1, 2}, "ml.LinearRegressor": {linearRegressor[T], 1, 1},
		"ml.Normalizer": {normalizer[T], 1, 1},
	}
	for name, f := range functions {
		m[name] = entry[T]{unary[T](func(*node) nn.Scalar { return f }), 1, 1}
	}
	for name, f := range curves {
		m[name] = entry[T]{unary[T](f), 1, 1}
	}
	for name, f := range pairings {
		least := 2
		if name == "Max" || name == "Min" || name == "Sum" || name == "Mean" {
			least = 1
		}
		m[name] = entry[T]{pairwise[T](f), least, 1}
	}
	log := functions["Log"]
	for name, r := range map[string]operator[T]{
		"ReduceMean": reduce[T](nn.ReduceMean, nil, nil), "ReduceSum": reduce[T](nn.ReduceSum, nil, nil), "ReduceMax": reduce[T](nn.ReduceMax, nil, nil),
		"ReduceMin": reduce[T](nn.ReduceMin, nil, nil), "ReduceProd": reduce[T](nn.ReduceProduct, nil, nil), "ReduceL1": reduce[T](nn.ReduceL1, nil, nil),
		"ReduceL2": reduce[T](nn.ReduceL2, nil, nil), "ReduceLogSumExp": reduce[T](nn.ReduceLogSumExp, nil, nil),
		"ReduceLogSum":    reduce[T](nn.ReduceSum, nil, &log),
		"ReduceSumSquare": reduce(nn.ReduceSum, squared[T], nil),
	} {
		m[name] = entry[T]{r, 1, 1}
	}
	return m
}

// known are the operators without what they do.
var known map[string]entry[float32]

func init() { known = operators[float32]() }

// Operators lists the operators that are understood.
func Operators() []string { return sorted(known) }
