"""buffers.py: writes buffers.onnx, a network with arrays beside its parameters, as torch 2.15.0's default exporter does
(onnx 1.23.2), without what it says of the places in this program, and prints the network's answer to 0, 0.1, …, 0.5.
"""
import onnx
import torch
from torch import nn


class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.4, 0.5, 0.6, 0.1, 0.2, 0.3]))
        self.register_buffer("blur", torch.rand(6, 6), persistent=False)
        self.scale = torch.rand(5)
        self.hidden, self.norm, self.out = nn.Linear(6, 5), nn.BatchNorm1d(5), nn.Linear(5, 3)

    def forward(self, x):
        return self.out(torch.tanh(self.norm(self.hidden((x - self.mean) @ self.blur))) * self.scale)


torch.manual_seed(0)
net = Buffers().eval()
path = "buffers.onnx"
torch.onnx.export(net, (torch.rand(2, 6),), path, optimize=False, external_data=False, verbose=False, dynamic_shapes=({0: torch.export.Dim("b")},))
model = onnx.load(path)
kept = {v.name: [p for p in v.metadata_props if "InputSpec" in p.key] for v in model.graph.value_info}
for part in [model, model.graph, *model.graph.node, *model.graph.input, *model.graph.output, *model.graph.value_info]:
    del part.metadata_props[:]
    part.ClearField("doc_string")
for v in model.graph.value_info:
    v.metadata_props.extend(kept[v.name])
onnx.save(model, path)
print([n for n, _ in net.named_parameters()], net(torch.arange(6)[None] / 10).tolist())
