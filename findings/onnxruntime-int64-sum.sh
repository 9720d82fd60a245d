#!/bin/sh
# onnxruntime 1.32.0 on its CPU provider, a ReduceSum of int64 (also ReduceL1). Expected: the sum of integers,
# which fits int64. Found: the sum of their doubles, without an error: whole numbers beyond 2^53, such as times in
# nanoseconds, lose their last digits. CumSum of the same numbers is right.
# Seen on 2026-11-30:
#   ReduceSum 1700000000000000000, CumSum 1700000000000000003
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
venv/bin/python - <<'PY'
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

times = np.array([1_700_000_000_000_000_001, 1, 1], np.int64)
axis = numpy_helper.from_array(np.array([0], np.int64), "axis")
start = numpy_helper.from_array(np.array(0, np.int64), "start")
graph = helper.make_graph(
    [
        helper.make_node("ReduceSum", ["x", "axis"], ["sum"], keepdims=0),
        helper.make_node("CumSum", ["x", "start"], ["sums"]),
    ],
    "sums",
    [helper.make_tensor_value_info("x", TensorProto.INT64, [3])],
    [
        helper.make_tensor_value_info("sum", TensorProto.INT64, []),
        helper.make_tensor_value_info("sums", TensorProto.INT64, [3]),
    ],
    [axis, start],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
onnx.checker.check_model(model)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
total, sums = session.run(None, {"x": times})
print(f"ReduceSum {total}, CumSum {sums[-1]}")
if total == times.sum():
    print("CHANGED: the sum is right")
    sys.exit(1)
PY
