"""ResNet18 or LeNet in PyTorch: network.py NET BATCH eager|channels_last|compile.

ResNet18 is as He et al. (2016) and torchvision define it, for grey 28x28 images, with a linear
layer to 128 features, Linear 64, ReLU, Linear 10. LeNet has the sizes of LeNet-5 (LeCun et al.
1998) with batch normalisation, ReLU and max pools, and one linear layer as its head.
"""

import sys

import torch
from torch import nn
from torch.nn import functional

import side


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
            self.downsample = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(y)) + shortcut)


def resnet18():
    layers = [nn.Conv2d(1, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    cin = 64
    for cout in (64, 128, 256, 512):
        layers += [Block(cin, cout, 1 if cout == 64 else 2), Block(cout, cout, 1)]
        cin = cout
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 128), nn.Linear(128, 64), nn.ReLU(inplace=True), nn.Linear(64, 10)]
    return nn.Sequential(*layers)


def lenet():
    def stage(cin, cout, kernel, pad):
        return [nn.Conv2d(cin, cout, kernel, 1, pad, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True)]

    return nn.Sequential(*stage(1, 6, 5, 2), nn.MaxPool2d(2), *stage(6, 16, 5, 0), nn.MaxPool2d(2), *stage(16, 120, 5, 0), nn.Flatten(), nn.Linear(120, 10))


def main(name, batch, mode):
    torch.set_num_threads(side.threads())
    torch.manual_seed(1)
    batch = int(batch)
    net = {'ResNet18': resnet18, 'LeNet': lenet}[name]()
    x, labels = torch.rand(batch, 1, 28, 28), torch.arange(batch) % 10
    if mode == 'channels_last':
        net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    adam = torch.optim.Adam(net.parameters(), lr=1e-4)
    run = torch.compile(net) if mode == 'compile' else net

    def train():
        adam.zero_grad(set_to_none=True)
        functional.cross_entropy(run(x), labels).backward()
        adam.step()

    def forward():
        with torch.inference_mode():
            run(x)

    def reply(words, seconds):
        net.train(words[0] == 'train')
        return side.repeat(seconds, {'train': train, 'forward': forward}[words[0]])

    for step in (train, forward):  # compiles
        net.train(step is train)
        step()
    side.serve(side.versions('torch'), reply)


main(*sys.argv[1:])
