"""One training step of ResNet18 in PyTorch, timed: the other side of the comparison.

The network is models/resnet18 with its head: ResNet18 as He et al. (2016) and
torchvision define it, for 28x28 grey images, a linear layer to 128 features, then
Linear 64, ReLU, Linear 10. A step is forward, cross entropy, backward and Adam;
"forward" evaluates a batch with frozen statistics and no gradients.

    python3 resnet18_step.py --batch 64 --threads 1

reads lines "train SECONDS" or "forward SECONDS", repeats the step for about that
long after one to warm up, and answers with the median ms per image, so that a
driver can alternate between this process and another.
"""

import argparse
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Two 3x3 convolutions with a shortcut."""

    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or cin != cout:
            self.downsample = nn.Sequential(
                nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout)
            )

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(y)) + shortcut)


def resnet18():
    layers = [
        nn.Conv2d(1, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
    ]
    cin = 64
    for cout in (64, 128, 256, 512):
        layers += [Block(cin, cout, 1 if cout == 64 else 2), Block(cout, cout, 1)]
        cin = cout
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 128)]
    layers += [nn.Linear(128, 64), nn.ReLU(inplace=True), nn.Linear(64, 10)]
    return nn.Sequential(*layers)


class Steps:
    """The network with its data, and steps to time."""

    def __init__(self, batch):
        torch.manual_seed(1)
        self.batch = batch
        self.net = resnet18()
        self.x = torch.rand(batch, 1, 28, 28)
        self.labels = torch.arange(batch) % 10
        self.adam = torch.optim.Adam(self.net.parameters(), lr=1e-4)

    def train(self):
        self.adam.zero_grad(set_to_none=True)
        functional.cross_entropy(self.net(self.x), self.labels).backward()
        self.adam.step()

    def forward(self):
        with torch.inference_mode():
            self.net(self.x)

    def time(self, what, seconds):
        """Runs steps for about the given time, three at least; median ms per image."""
        self.net.train(what == "train")
        step = {"train": self.train, "forward": self.forward}[what]
        step()
        took = []
        end = time.perf_counter() + seconds
        while len(took) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            step()
            took.append((time.perf_counter() - start) * 1e3 / self.batch)
        return statistics.median(took)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    steps = Steps(a.batch)
    print(torch.__version__, flush=True)
    for line in sys.stdin:
        what, seconds = line.split()
        print(steps.time(what, float(seconds)), flush=True)


if __name__ == "__main__":
    main()
