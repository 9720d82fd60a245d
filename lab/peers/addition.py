"""MNIST addition learned from sums to an accuracy: addition.py deepproblog|deeplog|ltn FOLDER TARGET.

The folder holds what addition.go wrote: images, two for each sum, and further sums to judge by. The
network is LeNet as the examples of these systems have it; learning follows their examples: Adam
with a step of 1e-3, and their batches. After each thousand sums the accuracy is measured, outside
the seconds that count, until it is the target.
"""

import os
import sys
import time

import numpy
import torch
from torch import nn

import side

STEP = 1000
EPOCHS = 30


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(6, 16, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(),
        nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10), nn.Softmax(1))


class Enough(Exception):
    pass


class Judge:
    """Counts seconds without those of its own measurements, and ends learning."""

    def __init__(self, folder, net, target, packages):
        self.net, self.target, self.packages = net, target, packages
        self.images, self.sums = read(folder, 'fresh')
        self.wall, self.cpu, self.seen, self.next = 0, 0, 0, STEP
        self.began = BEGAN

    def saw(self, sums):
        self.seen += sums
        if self.seen < self.next:
            return
        self.next += STEP
        wall, cpu = time.perf_counter(), time.process_time()
        self.net.eval()
        with torch.no_grad():
            p = torch.cat([self.net(self.images[i:i + 1000]) for i in range(0, len(self.images), 1000)])
        self.net.train()
        a, b = p[0::2], p[1::2]
        total = torch.zeros(len(a), 19)
        for d in range(10):
            total[:, d:d + 10] += a[:, d:d + 1] * b
        accuracy = (total.argmax(1) == self.sums).double().mean().item()
        print(self.seen, accuracy, file=sys.stderr, flush=True)
        self.accuracy = accuracy
        if accuracy >= self.target:
            side.say(version=side.versions(*self.packages), wall=wall - self.began - self.wall, count=1, cpu=cpu - self.cpu,
                     figures={'accuracy': accuracy, 'sums seen': self.seen})
            raise Enough
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def read(folder, name):
    images = numpy.fromfile(os.path.join(folder, name + '_images'), 'u1').reshape(-1, 1, 28, 28)
    images = (torch.from_numpy(images).float() / 255 - 0.5) / 0.5
    return images, torch.from_numpy(numpy.fromfile(os.path.join(folder, name + '_sums'), '<i4').astype('int64'))


def batches(count, size, epoch):
    order = torch.randperm(count, generator=torch.Generator().manual_seed(epoch))
    return [order[i:i + size] for i in range(0, count, size)]


def deepproblog(folder, net, images, sums, judge):
    from deepproblog.dataset import Dataset, DataLoader
    from deepproblog.engines import ExactEngine
    from deepproblog.model import Model
    from deepproblog.network import Network
    from deepproblog.query import Query
    from deepproblog.train import TrainObject
    from problog.logic import Constant, Term
    rules = 'nn(reader,[X],Y,[0,1,2,3,4,5,6,7,8,9]) :: digit(X,Y).\naddition(X,Y,Z) :- digit(X,A), digit(Y,B), Z is A + B.\n'

    class Sums(Dataset):
        def __len__(self):
            return len(sums)

        def to_query(self, i):
            image = lambda k: Term('tensor', Term('train', Constant(2 * i + k)))
            return Query(Term('addition', Term('x'), Term('y'), Constant(int(sums[i]))), substitution={Term('x'): image(0), Term('y'): image(1)})

    class Images:
        def __getitem__(self, at):
            return images[int(at[0])]

    network = Network(net, 'reader', batching=True)
    network.optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    model = Model(rules, [network], load=False)
    model.set_engine(ExactEngine(model), cache=True)
    model.add_tensor_source('train', Images())
    train = TrainObject(model)
    train.hooks.append((1, lambda _: judge.saw(2)))
    train.train(DataLoader(Sums(), 2, True), EPOCHS, verbose=0)


def deeplog(folder, net, images, sums, judge):
    from functools import partial
    from deeplog import Compiler, NetworkPredicate, SymTensor, reshape
    from deeplog.grounding.prolog import SimpleGrounder, str_to_rules
    from deeplog.systems.deepproblog import Solver, compile_to_module
    rules = 'nn(reader, [X], Y, [0..9]) :: digit(X,Y).\naddition(I,J,S) :- digit(I,A), digit(J,B), is(S,+(A,B)).\n?- addition(i,j,S).\n'
    proofs = Solver(SimpleGrounder()).get_query_result(tuple(str_to_rules(rules)))
    compiler = Compiler(atom_builders={('reader', 2, 'probability'): partial(NetworkPredicate, module=net)})
    model = reshape(compile_to_module(proofs, compiler), input=(SymTensor('i'), SymTensor('j')), output=SymTensor(['addition(i,j,%d) _ probability' % s for s in range(19)]))
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(EPOCHS):
        for at in batches(len(sums), 32, epoch):
            adam.zero_grad()
            p = model(images[2 * at], images[2 * at + 1])
            nn.functional.nll_loss(torch.log(p + 1e-9), sums[at]).backward()
            adam.step()
            judge.saw(len(at))


def ltn(folder, net, images, sums, judge):
    import ltn
    from ltn import fuzzy_ops

    class Digit(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, x, d):
            return torch.gather(self.net(x), 1, d.long().reshape(-1, 1)).squeeze(1)

    shows = ltn.Predicate(Digit())
    one, two = (ltn.Variable(name, torch.arange(10), add_batch_dim=False) for name in ('one', 'two'))
    both = ltn.Connective(fuzzy_ops.AndProd())
    exists, every = ltn.Quantifier(fuzzy_ops.AggregPMean(p=2), quantifier='e'), ltn.Quantifier(fuzzy_ops.AggregPMeanError(p=2), quantifier='f')
    adam = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(EPOCHS):
        p = 1 if epoch < 4 else 2 if epoch < 8 else 4 if epoch < 12 else 6
        for at in batches(len(sums), 32, epoch):
            adam.zero_grad()
            x, y, z = ltn.Variable('x', images[2 * at]), ltn.Variable('y', images[2 * at + 1]), ltn.Variable('z', sums[at], add_batch_dim=False)
            truth = every(ltn.diag(x, y, z), exists([one, two], both(shows(x, one), shows(y, two)), cond_vars=[one, two, z],
                                                    cond_fn=lambda one, two, z: torch.eq(one.value + two.value, z.value), p=p)).value
            (1 - truth).backward()
            adam.step()
            judge.saw(len(at))


def main(name, folder, target):
    torch.set_num_threads(side.threads())
    torch.manual_seed(1)
    net = lenet()
    images, sums = read(folder, 'train')
    learn, packages = {'deepproblog': (deepproblog, ['deepproblog', 'problog', 'pysdd', 'torch']), 'deeplog': (deeplog, ['pydeeplog', 'mv-sdd', 'torch']), 'ltn': (ltn, ['ltntorch', 'torch'])}[name]
    judge = Judge(folder, net, float(target), packages)
    try:
        learn(folder, net, images, sums, judge)
    except Enough:
        return
    side.say(error='%.1f %% after %d epochs' % (100 * judge.accuracy, EPOCHS))


BEGAN = time.perf_counter()
main(*sys.argv[1:])
