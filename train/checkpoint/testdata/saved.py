"""saved.py FOLDER: the files of TestParseTorch, by torch 2.15.0. Values are counted from 0 in
the order in which a tensor is read, so that the test knows them without torch."""
import sys

import torch

out = sys.argv[1]
table = torch.arange(24, dtype=torch.float32)
state = {
    "plain.weight": table.reshape(2, 3, 4),
    # a view: begins at element 4 of the storage, whose steps are 1 and 4
    "turned.weight": torch.arange(12, dtype=torch.float64).reshape(2, 6).t().contiguous().t(),
    "part.bias": table[6:18:3],
    "half": torch.tensor([0, 1, -2.5, 65504, 2**-24, float("inf")], dtype=torch.float16),
    "brain": torch.tensor([0, 1, -2.5, 2.0**100], dtype=torch.bfloat16),
    "steps": torch.tensor(7),
    "small": torch.tensor([-128, 127], dtype=torch.int8),
    "mask": torch.tensor([True, False]),
    "none": torch.zeros(0, 3),
    "learned": torch.nn.Parameter(torch.arange(2.0)),
    "_extra_state": None,
}
torch.save(state, f"{out}/state.pt")
net = torch.nn.Linear(2, 1)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[3.0, 4.0]]))
    net.bias.copy_(torch.tensor([5.0]))
learn = torch.optim.Adam(net.parameters())
net(torch.ones(1, 2)).sum().backward()
learn.step()
with torch.no_grad():
    net.weight.copy_(torch.tensor([[3.0, 4.0]]))
    net.bias.copy_(torch.tensor([5.0]))
torch.save({"epoch": 3, "model": net.state_dict(), "optimizer": learn.state_dict()}, f"{out}/training.pt")
torch.save({"epoch": torch.tensor(3), "loss": torch.tensor(0.5, requires_grad=True), "rng": torch.arange(9, dtype=torch.uint8), "model_state_dict": net.state_dict(),
            "optimizer_state_dict": learn.state_dict()}, f"{out}/loose.pt")
torch.save({"model": net.state_dict(), "ema": net.state_dict()}, f"{out}/two.pt")
torch.save(net, f"{out}/module.pt")
torch.save({"row": torch.arange(3.0).expand(2, 3)}, f"{out}/expanded.pt")
torch.save({"epoch": 3}, f"{out}/numbers.pt")
