package onnx

// For tests outside the package.
var Value, Node = value, node
