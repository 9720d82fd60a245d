"""exports.py write OUT: networks of PyTorch and scikit-learn as ONNX files, with the answers of
onnxruntime: NAME.onnx.BATCH.x and .y, float32.
exports.py check FOLDER: files that are valid, and have the answers that lie beside them.
"""
import glob
import os
import sys

import numpy as np
import onnx
import onnxruntime


def answer(path, x):
    s = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    outputs = s.run(None, {s.get_inputs()[0].name: x})
    return next(y for y in outputs if isinstance(y, np.ndarray) and y.dtype == np.float32)


def save(path, x):
    x.astype(np.float32).tofile(f"{path}.{len(x)}.x")
    answer(path, x).astype(np.float32).tofile(f"{path}.{len(x)}.y")


def write(out):
    import onnxslim
    import skl2onnx
    import torch
    from torch import nn
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    class Recurrent(nn.Module):
        def __init__(self, kind):
            super().__init__()
            self.r, self.l = kind(4, 5, batch_first=True, bidirectional=True), nn.Linear(10, 3)

        def forward(self, x):
            return self.l(self.r(x)[0][:, -1])

    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            self.e, self.l = nn.Embedding(20, 8), nn.Linear(8, 4)

        def forward(self, x):
            return self.l(self.e(x).mean(1))

    torch.manual_seed(3)
    networks = {
        "tower": (nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.Hardswish(), nn.MaxPool2d(2), nn.ConvTranspose2d(6, 4, 2, 2),
                                nn.GroupNorm(2, 4), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)), (3, 8, 8)),
        "encoder": (nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Flatten(), nn.Linear(40, 3)), (5, 8)),
        "waves": (nn.Sequential(nn.Conv1d(4, 8, 3, groups=2), nn.ELU(), nn.AvgPool1d(2), nn.Flatten(), nn.Linear(32, 3)), (4, 10)),
        "gru": (Recurrent(nn.GRU), (6, 4)),
        "lstm": (Recurrent(nn.LSTM), (6, 4)),
        "words": (Words(), (5,)),
    }
    rng = np.random.default_rng(5)
    for name, (net, shape) in networks.items():
        net.eval()
        make = lambda n: rng.integers(0, 20, (n,) + shape) if name == "words" else rng.standard_normal((n,) + shape).astype(np.float32)
        for form, dynamic in ("fixed", None), ("free", ({0: torch.export.Dim.DYNAMIC},)):
            path = f"{out}/{name}.{form}.onnx"
            torch.onnx.export(net, (torch.from_numpy(make(2)),), path, verbose=False, dynamic_shapes=dynamic)
            for n in (2,) if dynamic is None else (1, 3):
                save(path, make(n))
            if dynamic:
                slim = f"{out}/{name}.slim.onnx"
                onnx.save(onnxslim.slim(path), slim)
                save(slim, make(3))
    x = rng.standard_normal((100, 4)).astype(np.float32) * 2 + 1
    three = (x[:, 0] > 1).astype(int) + (x[:, 1] > 2)
    for name, model, labels in ("linear3", LogisticRegression(), three), ("linear2", LogisticRegression(), three > 0), ("mlp", MLPClassifier((5,), max_iter=50), three):
        pipe = make_pipeline(StandardScaler(), model).fit(x, labels.astype(int))
        path = f"{out}/sklearn-{name}.onnx"
        with open(path, "wb") as f:
            f.write(skl2onnx.to_onnx(pipe, x[:1], options={id(pipe): {"zipmap": False}}).SerializeToString())
        save(path, x[:7])


def check(folder):
    files = sorted(glob.glob(f"{folder}/*.onnx"))
    assert files, "nothing was written"
    for path in files:
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        at = model.graph.input[0].type.tensor_type
        shape = [d.dim_value for d in at.shape.dim][1:]
        x = np.fromfile(path + ".x", np.float32).reshape([-1] + shape)
        got = answer(path, x.astype(np.int64) if at.elem_type == 7 else x).ravel()
        want = np.fromfile(path + ".y", np.float32)
        worst = abs(got - want).max() / max(1, abs(want).max())
        print(f"{os.path.basename(path)}: {worst:.1e}")
        assert worst <= 1e-5, path
    print(f"{len(files)} written networks pass the checker and equal onnxruntime {onnxruntime.__version__}")


{"write": write, "check": check}[sys.argv[1]](sys.argv[2])
