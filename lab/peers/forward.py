"""The forward pass of the ONNX file that Hinge wrote, by onnxruntime: forward.py DIR."""

import os
import sys

import numpy as np
import onnxruntime

import side


def main(folder):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = side.threads(), 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(os.path.join(folder, 'network.onnx'), options, providers=['CPUExecutionProvider'])
    entry = session.get_inputs()[0]

    def reply(words, seconds):
        shape = [int(words[0]), *entry.shape[1:]]
        # The same numbers as input in forward.go.
        i = np.arange(np.prod(shape), dtype=np.uint64)
        x = ((i * 2654435761) % 2**32 % 1000 / 1000).astype(np.float32).reshape(shape)
        # Bound inputs and outputs leave out Python's work on arrays.
        bound = session.io_binding()
        bound.bind_cpu_input(entry.name, x)
        bound.bind_output(session.get_outputs()[0].name)
        session.run_with_iobinding(bound)
        answer = side.repeat(seconds, lambda: session.run_with_iobinding(bound))
        bound.copy_outputs_to_cpu()[0].astype('<f8').tofile(os.path.join(folder, 'onnxruntime'))
        return answer

    side.serve(side.versions('onnxruntime'), reply)


main(sys.argv[1])
