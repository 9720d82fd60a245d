"""Prints what TensorBoard itself reads in a folder, as one JSON object.

Needs the Python package tensorboard; without it the exit code is 77.
"""
import json
import sys

try:
    from tensorboard.backend.event_processing import event_accumulator
except ImportError:
    sys.exit(77)

size = {"scalars": 0, "images": 0, "histograms": 0, "tensors": 0}
events = event_accumulator.EventAccumulator(sys.argv[1], size_guidance=size)
events.Reload()
tags = events.Tags()
print(json.dumps({
    "scalars": {t: [[e.step, e.wall_time, e.value] for e in events.Scalars(t)] for t in tags["scalars"]},
    "histograms": {t: [[e.step, e.histogram_value.num, e.histogram_value.min, e.histogram_value.max, e.histogram_value.sum,
                        list(e.histogram_value.bucket)] for e in events.Histograms(t)] for t in tags["histograms"]},
    "images": {t: [[e.step, e.width, e.height, e.encoded_image_string[1:4].decode()] for e in events.Images(t)] for t in tags["images"]},
}))
