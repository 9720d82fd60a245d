"""Value and gradient of a MAP program as a layer: layers.py hinge|clarabel|scs|qpth FOLDER, which
holds what layers.go wrote. A case is the size of a batch; answers are values, then gradients."""

import json
import os
import re
import sys

import numpy
import torch

import side

FLOATS = '<f8'


def about(folder):
    with open(os.path.join(folder, 'about.json'), encoding='utf-8') as f:
        return json.load(f)


class Quadratic:
    """The program as matrices: min 1/2 z'Qz + p'z s.t. A z = b, G z + D g <= h, where z = (y, s)."""

    def __init__(self, folder):
        def read(name, kind=FLOATS):
            return numpy.fromfile(os.path.join(folder, name), kind)

        def dense(prefix, columns):
            ptr, col, val = read(prefix + 'ptr', '<i4'), read(prefix + 'col', '<i4'), read(prefix + 'val')
            a = numpy.zeros((rows, columns))
            numpy.add.at(a, (numpy.repeat(numpy.arange(rows), numpy.diff(ptr)), col), val)
            return a

        n, rows = (int(v) for v in read('sizes', '<i8'))
        kinds, cost, box, b = read('kinds', '<i4'), read('cost').reshape(-1, 2), read('box').reshape(2, -1), read('b')
        soft = kinds >= 2
        m = int(soft.sum())
        slack = numpy.zeros((rows, m))
        slack[numpy.flatnonzero(soft), numpy.arange(m)] = -1
        whole, deep = numpy.hstack([dense('', n), slack]), dense('deep_', len(about(folder)['outputs']))
        equal = kinds == 1
        unit = numpy.eye(n + m)
        nonnegative = unit[n:][kinds[soft] == 2]  # linear hinges; squared ones need no bound
        none = numpy.zeros((2 * n + len(nonnegative), deep.shape[1]))
        assert not deep[equal].any()
        self.A, self.b = whole[equal], -b[equal]
        self.G = numpy.vstack([whole[~equal], -unit[:n], unit[:n], -nonnegative])
        self.D = numpy.vstack([deep[~equal], none])
        self.h = numpy.concatenate([-b[~equal], -box[0], box[1], numpy.zeros(len(nonnegative))])
        self.q = 2 * numpy.concatenate([numpy.full(n, read('epsilon')[0]), cost[soft, 1]])
        self.p = numpy.concatenate([numpy.zeros(n), cost[soft, 0]])

    def independent(self):
        """Drops equalities that follow from others."""
        keep, basis = [], numpy.zeros((0, self.A.shape[1]))
        for i, row in enumerate(self.A):
            rest = row - basis.T @ (basis @ row)
            if numpy.linalg.norm(rest) > 1e-9:
                keep, basis = keep + [i], numpy.vstack([basis, rest / numpy.linalg.norm(rest)])
        self.A, self.b = self.A[keep], self.b[keep]


def convex(folder, name):
    import cvxpy
    from cvxpylayers.torch import CvxpyLayer
    f = Quadratic(folder)
    z, g = cvxpy.Variable(len(f.q)), cvxpy.Parameter(f.D.shape[1])
    constraints = [f.A @ z == f.b, f.G @ z + f.D @ g <= f.h]
    cost = cvxpy.sum_squares(cvxpy.multiply(numpy.sqrt(f.q / 2), z)) + f.p @ z
    solver = {'clarabel': cvxpy.CLARABEL, 'scs': cvxpy.SCS}[name]
    accuracy = {'clarabel': {'tol_gap_abs': 1e-6, 'tol_gap_rel': 1e-6, 'tol_feas': 1e-6}, 'scs': {'eps_abs': 1e-6, 'eps_rel': 1e-6, 'max_iters': 10**6}}[name]
    layer = CvxpyLayer(cvxpy.Problem(cvxpy.Minimize(cost), constraints), parameters=[g], variables=[z],
                       solver_args={'solve_method': name.upper(), 'n_jobs_forward': side.threads(), 'n_jobs_backward': side.threads(), **accuracy})
    q, p = torch.tensor(f.q), torch.tensor(f.p)
    return lambda g: value(layer(g)[0], q, p), side.versions('cvxpylayers', 'cvxpy', 'diffcp', name, 'torch')


def value(z, q, p):
    return (z * z * q / 2 + z * p).sum(-1)


def batched(folder):
    from qpth.qp import QPFunction
    f = Quadratic(folder)
    f.independent()
    Q, p, A, b, G, h, D = (torch.tensor(x) for x in (numpy.diag(f.q), f.p, f.A, f.b, f.G, f.h, f.D))
    layer = QPFunction(verbose=-1, eps=1e-6, maxIter=100)
    return lambda g: value(layer(Q, p, G, h - g @ D.T, A, b), Q.diagonal(), p), side.versions('qpth', 'torch', 'numpy')


def key(atom):
    """Predicate and arguments, however they are written."""
    return tuple(word.upper() for word in re.findall(r'[A-Za-z0-9]+', atom if isinstance(atom, str) else ' '.join(atom)))


def addition(digits, rules):
    """The model of one addition of one- or two-digit numbers, as the tasks mnist-add1 and mnist-add2 have it."""
    from hinge import Model, Partition, Predicate, Rule
    model, ten, images = Model('addition'), range(10), ['a', 'b', 'c', 'd'][:2 * digits]
    sums = range(2 * 10**digits - 1)

    def add(name, rows, partition=Partition.OBSERVATIONS, deep=False):
        model.add_predicate(Predicate(name, partition == Partition.OBSERVATIONS, size=len(rows[0]), deep=deep).add_data(partition, rows))

    columns = [(w, x, y, w + x + y) for w in (0, 1) for x in ten for y in ten]
    add('Addition', [images])
    add('Neural', [[i, x] for i in images for x in ten], Partition.TARGETS, True)
    add('ImageSum', [images + [z] for z in sums], Partition.TARGETS)
    add('SumPlace', [images + [p, z] for p in (1, 10, 100)[:digits + 1] for z in ten], Partition.TARGETS)
    add('Carry', [[*pair, w] for pair in zip(images[:digits], images[digits:]) for w in (0, 1)], Partition.TARGETS)
    add('DigitSumOnesPlace', [[w, x, y, z % 10] for w, x, y, z in columns])
    add('DigitSumTensPlace', [[w, x, y, z // 10] for w, x, y, z in columns])
    if digits == 1:
        add('PlacedRepresentation', [[z // 10, z % 10, z] for z in sums])
        add('PossibleDigit', [[x, z] for x in ten for z in sums if 0 <= z - x <= 9])
    else:
        add('PlacedRepresentation', [[z // 100, z // 10 % 10, z % 10, z] for z in sums])
        add('PossibleOnesDigit', [[x, z] for x in ten for z in sums if any(0 <= z - (10 * t + x) <= 99 for t in ten)])
        add('PossibleTensDigit', [[x, z] for x in ten for z in sums if any(0 <= z - (10 * x + o) <= 99 for o in ten)])
    for rule in Rule.load_from_file(rules):
        model.add_rule(rule)
    return model


def ours(folder):
    facts = about(folder)
    sys.path.insert(0, facts['python'])
    import hinge.torch
    from hinge import Model
    Model.INFER_PATH = facts['infer']
    value = hinge.torch.Value(addition(facts['digits'], facts['rules']), options={'inference.normalize': False}, epsilon=facts['epsilon'], threads=side.threads())
    places = {key(atom): i for i, atom in enumerate(facts['outputs'])}
    order = torch.tensor([places[key(atom)] for atom in value.outputs])
    return lambda g: value(g[..., order]), side.versions('torch')


def main(name, folder):
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(side.threads())
    layer, version = {'hinge': ours, 'qpth': batched}.get(name, lambda folder: convex(folder, name))(folder)
    outputs = len(about(folder)['outputs'])
    drawn = torch.tensor(numpy.fromfile(os.path.join(folder, 'g'), FLOATS)).reshape(-1, outputs)

    def reply(words, seconds):
        g = drawn[:int(words[0])].clone().requires_grad_()

        def step():
            g.grad = None
            v = layer(g)
            v.sum().backward()
            return v

        said = side.repeat(seconds, step)
        if name == 'hinge':
            del said['cpu']  # the solves are in a process of its own
        numpy.concatenate([step().detach().numpy(), g.grad.numpy().ravel()]).astype(FLOATS).tofile(os.path.join(folder, name))
        return said

    side.serve(version, reply)


main(*sys.argv[1:])
