#!/bin/sh
# tritonclient 2.73.0 over HTTP. The Open Inference Protocol, version 2, is JSON; binary tensors are an
# extension that a server lists in its metadata. Expected: JSON by default, or a look at the metadata.
# Found: every input is sent as bytes behind the JSON, and all outputs are asked for as bytes, whatever
# the server lists. Against a server without the extension each tensor needs binary_data=False, and a
# request has to name its outputs.
# Seen on 2026-11-27:
#   {"inputs":[{"name":"x","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}}],"parameters":{"binary_data_output":true}}
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q 'tritonclient[http]==2.73.0' numpy==2.4.6
venv/bin/python - <<'PY'
import json

import numpy as np
import tritonclient.http as triton

x = triton.InferInput("x", [1], "FP32")
x.set_data_from_numpy(np.ones(1, np.float32))
body, size = triton.InferenceServerClient.generate_request_body([x])
text = body[:size].decode() if size else body.decode()
print(text)
q = json.loads(text)
if "data" in q["inputs"][0] or not q.get("parameters", {}).get("binary_data_output"):
    raise SystemExit("CHANGED: tensors are JSON by default")
PY
