"""Asks two servers of TestTriton by tritonclient over HTTP, with its defaults."""

import sys

import numpy as np
import tritonclient.http as triton

digits, file = (triton.InferenceServerClient(url) for url in sys.argv[1:])


def tensor(name, array, kind="FP32", **how):
    t = triton.InferInput(name, list(array.shape), kind)
    t.set_data_from_numpy(array, **how)
    return t


# The server of digits answers with the sum of the first pixels, times 255.
images = np.zeros((2, 2, 28, 28), np.float32)
images[:, :, 0, 0] = np.array([[3, 4], [50, 1]]) / 255
outputs = [triton.InferRequestedOutput("answer"), triton.InferRequestedOutput("gap", binary_data=False)]
for how in (
    {},
    {"model_version": "1"},
    {"request_compression_algorithm": "gzip"},
    {"request_compression_algorithm": "deflate", "response_compression_algorithm": "gzip"},
    {"outputs": outputs, "request_id": "7"},
):
    for binary in (True, False):
        r = digits.infer("pairs", [tensor("images", images, binary_data=binary)], **how)
        assert r.as_numpy("answer").tolist() == [7, 51], how
        assert np.allclose(r.as_numpy("gap"), 1e-9, rtol=1e-6), how
        assert "outputs" in how or r.as_numpy("digits").shape == (2, 2, 10), how
        assert r.get_response().get("id") == how.get("request_id"), how
r = digits.async_infer("pairs", [tensor("images", images)]).get_result()
assert r.as_numpy("answer").tolist() == [7, 51] and r.as_numpy("unmet").tolist() == [b"", b""]

assert digits.is_server_live() and digits.is_server_ready()
for version in ("", "1"):
    assert digits.is_model_ready("pairs", version)
    assert digits.get_model_metadata("pairs", version)["versions"] == ["1"]
    assert digits.get_model_config("pairs", version)["input"][0]["data_type"] == "TYPE_FP32"
    assert digits.get_inference_statistics("pairs", version)["model_stats"][0]["inference_count"] > 0
assert not digits.is_model_ready("pairs", "2")
assert digits.get_inference_statistics()["model_stats"][0]["name"] == "pairs"
assert digits.get_model_repository_index()[0]["state"] == "READY"
assert "binary_tensor_data" in digits.get_server_metadata()["extensions"]

# The server of a file takes texts, and numbers without an entity.
x = np.array([[-1, 2], [0.5, 0.25]], np.float32)
names = np.array(["b", ""], dtype=np.object_)
answers = []
for binary in (True, False):
    r = file.infer("wanted", [tensor("Sees", x, binary_data=binary), tensor("Sees.entity", names, "BYTES", binary_data=binary)])
    answers.append([r.as_numpy(k).tolist() for k in ("Sees", "values", "atoms")])
    assert np.allclose(r.as_numpy("Sees").sum(1), 1, atol=1e-6)
    assert len(answers[-1][1]) == len(answers[-1][2]) > 0 and b"IS" in answers[-1][2][0].upper()
assert answers[0] == answers[1]
names[1] = "nobody"
try:
    file.infer("wanted", [tensor("Sees", x), tensor("Sees.entity", names, "BYTES")])
    raise SystemExit("an unknown entity was answered")
except triton.InferenceServerException as e:
    assert "nobody" in str(e), e
