"""Measures for lab/value: value.py BATCH INFER prints a page."""

import json
import re
import statistics
import sys
import time

import numpy
import torch

import hinge.torch
from hinge import Model, Partition, Predicate, Rule

IMAGES = ['a', 'b', 'c', 'd']


def addition(rules):
    """The model of one addition of two-digit numbers, as task mnist-add2 has it."""
    model, digits, sums = Model('add2'), range(10), range(199)

    def add(name, rows, partition=Partition.OBSERVATIONS, deep=False):
        model.add_predicate(Predicate(name, partition == Partition.OBSERVATIONS, size=len(rows[0]), deep=deep).add_data(partition, rows))

    add('Addition', [IMAGES])
    add('Neural', [[i, x] for i in IMAGES for x in digits], Partition.TARGETS, True)
    add('ImageSum', [IMAGES + [z] for z in sums], Partition.TARGETS)
    add('SumPlace', [IMAGES + [p, z] for p in (1, 10, 100) for z in digits], Partition.TARGETS)
    add('Carry', [[i, j, w] for i, j in (('a', 'c'), ('b', 'd')) for w in (0, 1)], Partition.TARGETS)
    columns = [(w, x, y, w + x + y) for w in (0, 1) for x in digits for y in digits]
    add('DigitSumOnesPlace', [[w, x, y, z % 10] for w, x, y, z in columns])
    add('DigitSumTensPlace', [[w, x, y, z // 10] for w, x, y, z in columns])
    add('PlacedRepresentation', [[z // 100, z // 10 % 10, z % 10, z] for z in sums])
    add('PossibleOnesDigit', [[x, z] for x in digits for z in sums if any(0 <= z - (10 * t + x) <= 99 for t in digits)])
    add('PossibleTensDigit', [[x, z] for x in digits for z in sums if any(0 <= z - (10 * x + o) <= 99 for o in digits)])
    for rule in Rule.load_from_file(rules):
        model.add_rule(rule)
    return model


def key(atom):
    """Predicate and arguments, however they are written."""
    return tuple(word.upper() for word in re.findall(r'[A-Za-z0-9]+', atom if isinstance(atom, str) else ' '.join(atom)))


class Interior:
    """The same programs by Mehrotra's predictor and corrector for a batch, as in qpth, in dense
    tensors, but with the slacks of the hinges eliminated, as many as rows, which qpth would
    factorise; and with equalities substituted once, y = y0 + N u, since bounds of what they fix
    have no interior. Rows are filled up to the largest program of the batch."""

    def __init__(self, batch):
        programs, outputs = batch['programs'], len(batch['outputs'])
        w, m = numpy.array(batch['w']), max(len(p['potentials']) for p in programs)
        kinds = [[], [], []]
        for p in programs:
            n = p['targets']

            def arrays(rows):
                a, d, k = numpy.zeros((len(rows), n)), numpy.zeros((len(rows), outputs)), numpy.array([r['const'] for r in rows])
                for i, r in enumerate(rows):
                    a[i, r['col'] or []] = r['val'] or []
                    d[i, r['deep'] or []] = r['deepv'] or []
                return a, d, k

            e, ed, ek = arrays([r for r in p['constraints'] if r['equal']])
            assert not ed.any()
            y0 = numpy.linalg.lstsq(e, -ek, rcond=None)[0]
            _, sizes, basis = numpy.linalg.svd(e)
            null = basis[(sizes > 1e-9).sum():].T
            a, d, k = arrays(p['potentials'])
            rest = m - len(a)
            kinds[0].append((numpy.vstack([a @ null, numpy.zeros((rest, null.shape[1]))]), numpy.vstack([d, numpy.zeros((rest, outputs))]),
                             numpy.concatenate([a @ y0 + k, -numpy.ones(rest)]), numpy.concatenate([w[[r['rule'] for r in p['potentials']]], numpy.ones(rest)])))
            h, hd, hk = arrays([r for r in p['constraints'] if not r['equal']])
            h, hd = numpy.vstack([h, numpy.eye(n), -numpy.eye(n)]), numpy.vstack([hd, numpy.zeros((2 * n, outputs))])
            free = (abs(h @ null) > 1e-9).any(1)
            kinds[1].append(((h @ null)[free], hd[free], (h @ y0 + numpy.concatenate([hk, -numpy.ones(n), numpy.zeros(n)]))[free]))
            kinds[2].append((null, y0))

        def stack(items):
            return [torch.tensor(numpy.array(x)) for x in zip(*items)]

        self.a, self.d, self.k, self.w = stack(kinds[0])
        self.c, self.cd, self.ck = stack(kinds[1])
        self.null, self.y0 = stack(kinds[2])
        self.eps, self.squares = batch['epsilon'], torch.tensor([p['squares'] for p in programs])

    def __call__(self, g):
        """Values and gradients by g for draws x programs x outputs."""
        draws, programs, _ = g.shape

        def flat(x):
            return x.expand(draws, *x.shape).flatten(0, 1)

        a, c, w, null, y0, eps = flat(self.a), flat(self.c), flat(self.w), flat(self.null), flat(self.y0), self.eps
        b = (torch.einsum('pmo,kpo->kpm', self.d, g) + self.k).flatten(0, 1)
        cb = (torch.einsum('pmo,kpo->kpm', self.cd, g) + self.ck).flatten(0, 1)
        (size, m, n), p = a.shape, c.shape[1]
        quad = 2 * eps * null.transpose(1, 2) @ null
        u, s = torch.zeros(size, n), (0.1 + b).clamp(min=0.1)
        # Slacks t and multipliers z of a·u + b - s <= 0, of -s <= 0 and of c·u + cb <= 0.
        t = [(s - b).clamp(min=0.1), s.clone(), (-cb).clamp(min=0.1)]
        z = [w / 2, w / 2, torch.full((size, p), 0.1)]

        def of(matrix, x):
            return (matrix @ x.unsqueeze(-1)).squeeze(-1)

        def back(matrix, x):
            return (x.unsqueeze(1) @ matrix).squeeze(1)

        for iteration in range(50):
            y = y0 + of(null, u)
            ru = 2 * eps * back(null, y) + back(a, z[0]) + back(c, z[2])
            rs = w + 2 * eps * s - z[0] - z[1]
            r = [of(a, u) + b - s + t[0], t[1] - s, of(c, u) + cb + t[2]]
            gap = sum((x * v).sum(1) for x, v in zip(t, z))
            going = torch.stack([gap] + [x.abs().amax(1) for x in (ru, rs, *r)]).amax(0) > 1e-8
            if not going.any():
                break
            d = [v / x for x, v in zip(t, z)]
            block = d[0] + d[1] + 2 * eps
            schur = quad + a.transpose(1, 2) @ ((d[0] - d[0] ** 2 / block).unsqueeze(-1) * a) + c.transpose(1, 2) @ (d[2].unsqueeze(-1) * c)
            factor = torch.linalg.cholesky(schur)

            def direction(target):
                """Newton's step to products t·z of a target; correct is what is taken off."""
                f = [(v * res - x * v + tar) / x for x, v, res, tar in zip(t, z, r, target)]
                gs = rs - f[0] - f[1]
                gu = ru + back(a, f[0]) + back(c, f[2])
                du = torch.cholesky_solve(-(gu + back(a, d[0] * gs / block)).unsqueeze(-1), factor).squeeze(-1)
                adu = of(a, du)
                ds = (d[0] * adu - gs) / block
                dx = [adu - ds, -ds, of(c, du)]
                return du, ds, [-res - v for res, v in zip(r, dx)], [x + k * v for x, k, v in zip(f, d, dx)]

            def length(values, steps):
                return torch.stack([torch.where(v < 0, -x / v, torch.full_like(x, 1e30)).amin(1) for x, v in zip(values, steps)]).amin(0).clamp(max=1)

            du, ds, dt, dz = direction([torch.zeros_like(x) for x in t])
            alpha = torch.minimum(length(t, dt), length(z, dz)).unsqueeze(1)
            affine = sum(((x + alpha * dx) * (v + alpha * dv)).sum(1) for x, v, dx, dv in zip(t, z, dt, dz))
            center = ((affine / gap) ** 3 * gap / (2 * m + p)).unsqueeze(1)
            du, ds, dt, dz = direction([center - dx * dv for dx, dv in zip(dt, dz)])
            alpha = (0.99 * going * torch.minimum(length(t, dt), length(z, dz))).unsqueeze(1)
            u, s = u + alpha * du, s + alpha * ds
            t, z = [x + alpha * dx for x, dx in zip(t, dt)], [x + alpha * dx for x, dx in zip(z, dz)]
        value = (w * s + eps * s ** 2).sum(1) + eps * (y ** 2).sum(1) + eps * flat(self.squares)
        dg = torch.einsum('kpm,pmo->kpo', z[0].reshape(draws, programs, m), self.d) + torch.einsum('kpm,pmo->kpo', z[2].reshape(draws, programs, p), self.cd)
        self.iterations = iteration
        return value.reshape(draws, programs), dg


def main(file, infer):
    torch.set_default_dtype(torch.float64)
    with open(file, encoding='utf-8') as f:
        batch = json.load(f)
    Model.INFER_PATH = infer
    threads = torch.get_num_threads()
    value = hinge.torch.Value(addition(batch['rules']), options={'inference.normalize': False}, epsilon=batch['epsilon'], threads=threads)
    draws, samples = batch['draws'], len(batch['labels'])
    places = {key(atom): i for i, atom in enumerate(batch['outputs'])}
    order = torch.tensor([places[key(atom)] for atom in value.outputs])
    ours = torch.tensor(batch['g']).reshape(draws, samples, -1)
    labels = torch.full((samples, len(value.targets)), float('nan'), dtype=torch.float64)
    for row, given in zip(labels, batch['labels']):
        given = {key(atom): v for atom, v in given.items()}
        for i, atom in enumerate(value.targets):
            row[i] = given.get(key(atom), float('nan'))
    w = torch.tensor(batch['w']).requires_grad_()
    g = ours[..., order].clone().requires_grad_()

    def step():
        w.grad = g.grad = None
        v = value(g, w, labels=labels)
        v.sum().backward()
        return v

    v = step()
    want = torch.tensor(batch['v']).reshape(draws, samples)
    wrong = {
        'V': (v - want).abs().max().item(),
        'Bᵀμ*': (g.grad - torch.tensor(batch['dg']).reshape(draws, samples, -1)[..., order]).abs().max().item(),
        'Φ(y*)': (w.grad - torch.tensor(batch['phi']).sum(0)).abs().max().item(),
    }
    assert max(wrong.values()) < 1e-6, wrong
    interior = Interior(batch)
    v, dg = interior(ours)
    wrong_ipm = {'V': (v - want).abs().max().item()}
    assert wrong_ipm['V'] < 1e-6, wrong_ipm
    through, above, theirs, ratios = [], [], [], []
    solve = value.program.solve
    own = []

    def timed(*arguments, **more):
        solved = solve(*arguments, **more)
        own.append(solved.seconds)
        return solved

    value.program.solve = timed
    for _ in range(3):
        step()
    for _ in range(9):
        rounds = []
        for _ in range(5):
            begin = time.perf_counter()
            step()
            rounds.append(time.perf_counter() - begin)
            above.append(rounds[-1] - own[-1])
        through.append(statistics.median(rounds))
        begin = time.perf_counter()
        interior(ours)
        theirs.append(time.perf_counter() - begin)
        ratios.append(theirs[-1] / through[-1])
    ms = lambda x: '%.2f' % (1e3 * statistics.median(x))
    print('''# V from PyTorch

`go run ./lab/value -out lab/benchmarks/value.md` measured, with PyTorch %s and %d thread%s each:
%d programs of %d targets, %d outputs and %d rules, the latent programs of %d additions of two-digit
numbers for %d draws, in float64. Medians of %d alternations. On a machine that others use, as root:
`chrt -r 1 make bench-value`.

| ms | |
| --- | --- |
| a step through `hinge.torch.Value`, forward and backward | %s |
| of it not Go's own solves | %s |
| interior point in PyTorch, values and gradients | %s |
| their ratio, median of the alternations | %.1f |

The interior point method solves the programs given the labels, as Go does, with the slacks
eliminated, until gap and residuals are below 1e-8: %d iterations. Its values differ from those of package bilevel
by at most %.0e; through the pipe values differ by %.0e, Bᵀμ* by %.0e, and Φ(y*), summed, by %.0e.''' % (torch.__version__, threads, 's' * (threads > 1), draws * samples, len(value.targets), len(value.outputs), len(value.rules), samples, draws, len(through),
                   ms(through), ms(above), ms(theirs), statistics.median(ratios), interior.iterations, wrong_ipm['V'], wrong['V'], wrong['Bᵀμ*'], wrong['Φ(y*)']))
    value.close()


main(*sys.argv[1:])
