"""Times the forward pass of an ONNX file by onnxruntime. Each line of standard input is
"batch seconds"; the answer is a line of JSON with the median time of a pass in milliseconds and
the first outputs.

    python forward.py FILE THREADS SIZE...

SIZE... are the sizes of an example, such as 1 28 28.
"""
import json
import sys
import time

import numpy as np
import onnxruntime


def main():
    file, threads, shape = sys.argv[1], int(sys.argv[2]), [int(d) for d in sys.argv[3:]]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    print(json.dumps({"version": onnxruntime.__version__}), flush=True)
    for line in sys.stdin:
        batch, seconds = int(line.split()[0]), float(line.split()[1])
        # The same numbers as input in forward.go.
        i = np.arange(batch * int(np.prod(shape)), dtype=np.uint64)
        x = ((i * 2654435761) % 2**32 % 1000 / 1000).astype(np.float32).reshape([batch, *shape])
        # Bound inputs and outputs leave out Python's work on arrays.
        bound = session.io_binding()
        bound.bind_cpu_input(session.get_inputs()[0].name, x)
        bound.bind_output(session.get_outputs()[0].name)
        session.run_with_iobinding(bound)
        took, end = [], time.perf_counter() + seconds
        while not took or time.perf_counter() < end:
            start = time.perf_counter()
            session.run_with_iobinding(bound)
            took.append(time.perf_counter() - start)
        out = bound.copy_outputs_to_cpu()[0].ravel()[:10]
        print(json.dumps({"ms": sorted(took)[len(took) // 2] * 1e3, "passes": len(took), "out": out.tolist()}), flush=True)


main()
