"""Tests of hinge.Program, hinge.torch and DeepPredicates: python3 app/python/test_torch.py,
with infer in the path. Skipped where numpy or PyTorch is not installed."""

import gzip
import importlib.util
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import weakref

for library in ('numpy', 'torch'):
    if importlib.util.find_spec(library) is None:
        raise SystemExit('test_torch: skipped, %s is not installed' % library)

import numpy
import torch

import hinge.torch
from hinge import DeepModel, DeepPredicate, Model, ModelError, ModelFile, Partition, Predicate, PredicateError, Program

POINTS = ['x', 'y']


def pair(deep=None):
    """Two images that show 0 or 1, and their sum."""
    shows = deep or Predicate('Shows', closed=False, size=2, deep=True)
    shows.add_data(Partition.TARGETS, [[p, d] for p in POINTS for d in '01'])
    pairs = Predicate('Pair', closed=True, size=2).add_data(Partition.OBSERVATIONS, [POINTS])
    adds = Predicate('Adds', closed=True, size=3).add_data(Partition.OBSERVATIONS, [[a, b, a + b] for a in (0, 1) for b in (0, 1)])
    sums = Predicate('Sum', closed=False, size=3).add_data(Partition.TARGETS, [POINTS + [s] for s in range(3)])
    sums.add_data(Partition.TRUTH, [POINTS + [s, float(s == 1)] for s in range(3)])
    model = Model()
    for p in (shows, pairs, adds, sums):
        model.add_predicate(p)
    model.add_rule('1: Shows(X, A) & Shows(Y, B) & Pair(X, Y) & Adds(A, B, S) -> Sum(X, Y, S) ^2')
    model.add_rule('0.5: Sum(X, Y, S) & Shows(X, A) & Adds(A, B, S) & Pair(X, Y) -> Shows(Y, B) ^2')
    return model.add_rule('0.1: !Sum(X, Y, S)').add_rule('Sum(X, Y, +S) = 1 .')


def outputs(*shape):
    p = 0.1 + 0.8 * torch.rand(*shape, 2, dtype=torch.float64)
    return torch.stack([p, 1 - p], -1).flatten(-2).requires_grad_()


OPTIONS = {'inference.normalize': False}


class ValueTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(1)
        cls.value = hinge.torch.Value(pair(), epsilon=1e-3, gap=1e-12, options=OPTIONS, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.value.close()

    def test_description(self):
        self.assertEqual([a[1:] for a in self.value.outputs], [('x', '0'), ('x', '1'), ('y', '0'), ('y', '1')])
        self.assertEqual([a[3] for a in self.value.targets], ['0', '1', '2'])
        self.assertEqual(self.value.weights.tolist(), [1, 0.5, 0.1])
        self.assertEqual(self.value.truth.tolist(), [0, 1, 0])
        self.assertEqual(len(self.value.rules), 3)

    def test_numbers_of_numpy(self):
        value = hinge.torch.Value(pair(), epsilon=numpy.float32(0.5), gap=numpy.float32(1e-6), threads=numpy.int64(1), check=numpy.bool_(True))
        self.assertEqual(value.program.epsilon, 0.5)
        value.close()

    def test_gradients(self):
        # By finite differences, in float64: of g and of the weights, with draws, labels and keys.
        nan = float('nan')
        w = self.value.weights.clone().requires_grad_()
        one = torch.tensor([0.0, 1, 0])
        two = torch.tensor([[nan, 1, 0], [nan, nan, nan]])
        for g, labels, keys in [(outputs(), None, None), (outputs(), one, None), (outputs(3, 2), one, None), (outputs(3, 2), two, None), (outputs(3, 2), two, [4, 5]), (outputs(2), None, [1, 2])]:
            self.assertTrue(torch.autograd.gradcheck(lambda g, w: self.value(g, w, labels, keys), (g, w), eps=1e-5, atol=1e-6, rtol=1e-6))

    def test_draws(self):
        # A row is solved as if it were alone, whatever the shape of g.
        g, labels = outputs(3, 2), torch.tensor([[1.0, 0, 0], [0, 1, 0]])
        v = self.value(g, labels=labels)
        self.assertEqual(v.shape, (3, 2))
        for k in range(3):
            for i in range(2):
                self.assertEqual(v[k, i].item(), self.value(g[k, i], labels=labels[i]).item())
        self.assertEqual(v.tolist(), self.value(g, labels=labels.bfloat16()).tolist())
        soft = hinge.torch.soft_minimum(v, 0.2)
        self.assertTrue(torch.allclose(soft, -0.2 * torch.log(torch.exp(-v / 0.2).mean(0)), rtol=0, atol=1e-12))
        cold = torch.tensor([0.2, 1])
        self.assertTrue(torch.allclose(hinge.torch.soft_minimum(v, cold)[0], soft[0]))
        with self.assertRaisesRegex(ValueError, 'the temperature is 0, want a positive one'):
            hinge.torch.soft_minimum(v, 0)

    def test_answers(self):
        value = self.value
        w = value.weights.clone().requires_grad_()
        slopes = torch.randn(9, 3, dtype=torch.float64)
        g = outputs(3, 3)
        g = (0.5 + 1.1 * (g.detach() - 0.5)).flatten(0, 1).requires_grad_()
        y = value.answer(g, w, nudge=1e-4)
        self.assertTrue(torch.allclose(y.sum(-1), torch.ones(9, dtype=torch.float64)))
        (slopes * y).sum().backward()
        self.assertGreater(g.grad.abs().max().item(), 0.1)
        for x in (g, w):
            flat, grad = x.detach().flatten(), x.grad.flatten()
            for i in range(len(flat)):
                ends = []
                for h in (1e-5, -1e-5):
                    moved = flat.clone()
                    moved[i] += h
                    moved = moved.reshape(x.shape)
                    ends.append((slopes * (value.answer(moved, w) if x is g else value.answer(g, moved))).sum().item())
                self.assertAlmostEqual(grad[i].item(), (ends[0] - ends[1]) / 2e-5, delta=1e-3)

    def test_once(self):
        # V and answers have one derivative: a second one is refused, never 0.
        for f in (self.value, self.value.answer):
            g = outputs(2)
            v = f(g)
            slope, = torch.autograd.grad(v.sum(), g, create_graph=True)
            with self.assertRaisesRegex(RuntimeError, 'no second derivatives'):
                (v.sum() + (slope ** 2).sum()).backward()

    def test_answers_that_change(self):
        # The gradient of a loss of answers that are changed in place is that of changed copies.
        g, slopes = outputs(2), []
        for change in (lambda y: y.mul_(2).clamp_(0.1), lambda y: (y * 2).clamp(0.1)):
            slopes.append(torch.autograd.grad((torch.arange(3.0) * change(self.value.answer(g))).sum(), g)[0])
        self.assertGreater(slopes[1].abs().max().item(), 0.1)
        self.assertEqual(*map(torch.Tensor.tolist, slopes))

    def test_labels_that_change(self):
        nan = float('nan')
        g = outputs()
        slopes = []
        for change in (False, True):
            labels = torch.tensor([0, nan, nan])
            y = self.value.answer(g, labels=labels)
            if change:
                labels[0] = 1
            slopes.append(torch.autograd.grad((torch.arange(3.0) * y).sum(), g)[0])
        self.assertEqual(*map(torch.Tensor.tolist, slopes))

    def test_warnings(self):
        with self.assertLogs('hinge', 'WARNING') as said:
            hinge.torch.Value(pair(), options={'inference.foo': 1}).close()
        self.assertRegex(said.output[0], 'the option inference.foo is not here')

    def test_inexact(self):
        # No method reaches a gap of 1e-18: the networks of DeepPredicates have such answers, too.
        with Program(pair(), gap=1e-18, method='subgradient') as program, self.assertLogs('hinge', 'WARNING') as said:
            self.assertEqual(program.solve(outputs(3).detach()).unsolved, 3)
        self.assertEqual(said.output, ['WARNING:hinge:hinge: 3 solves missed their tolerance: their values are inexact'])

    def test_float32(self):
        g = outputs(4)
        single = g.detach().float().requires_grad_()
        v = self.value(single)
        self.assertEqual(v.dtype, torch.float64)
        v.sum().backward()
        self.assertEqual(single.grad.dtype, torch.float32)
        self.value(g).sum().backward()
        self.assertTrue(torch.allclose(single.grad.double(), g.grad, atol=1e-5))

    def test_learning(self):
        # A network that is told that x shows 0 and the sum is 1 learns that y shows 1.
        logits = torch.zeros(2, 2, requires_grad=True)
        optimizer = torch.optim.Adam([logits], lr=0.1)
        start = torch.tensor([[3.0, 0], [0, 0]])
        for _ in range(60):
            optimizer.zero_grad()
            self.value(torch.softmax(start + logits, -1).flatten(), labels=self.value.truth).backward()
            optimizer.step()
        self.assertGreater(torch.softmax(start + logits, -1)[1, 1].item(), 0.9)

    def test_mistakes(self):
        value = self.value
        for make, words in [
            (lambda: value(torch.zeros(3)), 'want .*4'),
            (lambda: value(torch.zeros(0, 4)), 'no row'),
            (lambda: value(torch.full((4,), float('nan'))), 'slot 0: the output 0 is NaN'),
            (lambda: value(outputs(), w=torch.ones(2)), 'w has the shape'),
            (lambda: value(outputs(), w=-torch.ones(3)), 'rule 1 has the weight -1'),
            (lambda: value(outputs(2), labels=torch.zeros(3, 3)), 'labels have the shape'),
            (lambda: value(outputs(2), keys=[1, 2, 3]), 'keys have the shape'),
            (lambda: value(outputs(), labels=torch.ones(3)), 'infeasible'),
            (lambda: value(outputs(), labels=torch.ones(3, requires_grad=True)), 'no derivative by labels here'),
            (lambda: hinge.torch.Value('none.json'), 'none.json'),
            (lambda: hinge.torch.Value(pair(), epsilon=-1), 'epsilon is -1: give a positive one'),
            (lambda: hinge.torch.Value(pair(), epsilon=0), 'epsilon is 0: give a positive one'),
            (lambda: hinge.torch.Value(pair(), gap=float('nan')), 'gap is nan: give a positive one'),
            (lambda: value([0.5] * 4), 'tensors of real numbers, not a list: make one by torch.tensor'),
            (lambda: value(outputs(), w=numpy.ones(3)), 'not a ndarray'),
            (lambda: value(outputs() * 1j), 'not torch.complex128'),
            (lambda: value(outputs(), labels=torch.ones(3) * 1j), 'labels: the numbers are complex'),
            (lambda: value.program.solve(numpy.full(4, 0.5 + 1j)), 'g: the numbers are complex'),
            (lambda: value.program.solve(numpy.ma.masked_invalid([0.5, numpy.nan, 0.5, 0.5])), 'g: values are masked'),
            (lambda: value.answer(outputs(), labels=numpy.ma.masked_equal([0.0, 1.0, 0.0], 0)), 'labels: values are masked'),
            (lambda: value(outputs(2), keys=[1.5, 2]), 'keys are float64, want integers'),
            (lambda: Program(pair().add_rule('1: Shows(X, A) -> Sum(X, Z, A)')), 'variable Z'),
        ]:
            with self.assertRaisesRegex(ModelError, words):
                make()
        self.value(outputs())  # goes on

    def test_restart(self):
        # What has been killed is started again, and what is closed, too.
        with Program(pair(), options=OPTIONS) as program:
            g = [0.5, 0.5, 0.2, 0.8]
            v = program.solve(g).v
            program._process.kill()
            with self.assertRaisesRegex(ModelError, 'has ended'):
                program.solve(g)
            self.assertEqual(program.solve(g).v, v)
            program.close()
            self.assertEqual(program.solve(g).v, v)
            process = program._process._process
        self.assertEqual(process.returncode, 0)

    def test_restart_refused(self):
        # What cannot be read when it is started again can be, once it is there again.
        with tempfile.TemporaryDirectory() as folder:
            path = pair().write(folder)
            with Program(path, options=OPTIONS) as program:
                g = [0.5, 0.5, 0.2, 0.8]
                v = program.solve(g).v
                program.close()
                os.rename(path, path + '.away')
                for _ in range(2):
                    with self.assertRaisesRegex(ModelError, 'model.json'):
                        program.solve(g)
                os.rename(path + '.away', path)
                self.assertEqual(program.solve(g).v, v)

    @unittest.skipUnless(hasattr(os, 'fork'), 'there is no fork')
    def test_fork(self):
        with Program(pair()) as program:
            g = [0.5, 0.5, 0.2, 0.8]
            v = program.solve(g).v
            with program._lock:  # as a thread holds it that solves, which the fork does not have
                child = os.fork()
            if child == 0:
                signal.alarm(60)
                same = program.solve(g).v == v
                weakref.finalize._exitfunc()  # what the end of the interpreter does
                os._exit(0 if same else 1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            self.assertEqual(program.solve(g).v, v)
            program.close()
            self.assertEqual(program.solve(g).v, v)  # the fork has left the files


class ExampleTest(unittest.TestCase):
    def test_digits(self):
        # The example learns from files of MNIST's form, whose digits are bright rows here.
        rng = numpy.random.default_rng(1)
        with tempfile.TemporaryDirectory() as folder:
            for part, count in (('train', 240), ('t10k', 60)):
                digits = rng.integers(0, 10, count, dtype='uint8')
                images = rng.integers(0, 60, (count, 28, 28), dtype='uint8')
                images[numpy.arange(count), 2 * digits + 4] = 255
                for name, header, array in (('images-idx3', 16, images), ('labels-idx1', 8, digits)):
                    with gzip.open(os.path.join(folder, '%s-%s-ubyte.gz' % (part, name)), 'wb') as file:
                        file.write(bytes(header) + array.tobytes())
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'examples', 'mnist_add1.py')
            env = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(hinge.__file__))))
            done = subprocess.run([sys.executable, '-B', script, folder, '120'], env=env, encoding='utf-8', stdout=subprocess.PIPE, check=True)
        last = re.fullmatch(r'epoch 60, .* digits ([0-9.]+), sums ([0-9.]+)', done.stdout.splitlines()[-1])
        self.assertGreater(float(last.group(1)), 0.5, done.stdout)


class Net(DeepModel):
    """Logistic regression, as one would write it for the reference."""

    def __init__(self):
        self.calls = []

    def internal_init(self, application, options={}):
        self.calls.append(application)
        self.net = torch.nn.Linear(2, int(options['class-size']))
        if application == 'inference':
            self.net.load_state_dict(torch.load(options['save-path']))
        else:
            # It knows that x shows 0.
            self.net.weight.data = torch.tensor([[3.0, 0], [0, 0]])
            self.net.bias.data.zero_()
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=0.1)

    def internal_predict(self, data, options={}):
        self.predictions = torch.softmax(self.net(torch.tensor(data, dtype=torch.float32)), -1)
        return self.predictions, {'learn': options['learn']}

    def internal_fit(self, data, gradients, options={}):
        self.optimizer.zero_grad()
        self.predictions.backward(torch.tensor(gradients))
        self.optimizer.step()
        return {'norm': float(numpy.abs(gradients).sum())}

    def internal_eval(self, data, options={}):
        return {'loss': 1.5}

    def internal_save(self, options={}):
        torch.save(self.net.state_dict(), options['save-path'])

    def internal_epoch_end(self, options={}):
        self.calls.append('end')


class DeepTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.map = os.path.join(self.folder.name, 'entities.txt')
        with open(self.map, 'w', encoding='utf-8') as file:
            file.write('unseen\t0\t0\ny\t0.0\t1.0\nx\t1.0\t0.0\n')

    def predicate(self, **options):
        options = {'class-size': '2', 'entity-data-map-path': self.map, 'save-path': os.path.join(self.folder.name, 'net.pt'), **options}
        return DeepPredicate('Shows', size=2, model=Net(), options=options)

    def test_learn_and_infer(self):
        for method in ['Energy', 'StructuredPerceptron']:
            net = self.predicate()
            model = pair(net)
            self.assertIs(model.learn(method, epochs=80, psl_config=OPTIONS, logger=False, weight_step=0.001), model)
            self.assertEqual(net.model().calls, ['learning'] + 80 * ['end'])
            self.assertEqual(model.summary()['steps'], 80)
            self.assertAlmostEqual(sum(rule.weight() for rule in model.get_rules() if rule.weighted()), 1)
            rows = model.infer(psl_config=OPTIONS, frames=False)
            sums = {row[2]: row[3] for row in rows[model.get_predicate('Sum')]}
            self.assertGreater(sums['1'], 0.5, method)
            self.assertEqual(model.summary()['metrics_networks'], {'SHOWS': {'loss': 1.5}})
            self.assertGreater(net.model().predictions[1, 1].item(), 0.8, method)  # y shows 1

    def test_bfloat16(self):
        half = torch.tensor([[0.75, 0.25], [0.5, 0.5]])
        values = []
        for outputs in (half, half.bfloat16()):
            net = self.predicate()
            net.model().internal_init = lambda application, options: None
            net.model().internal_predict = lambda data, options, outputs=outputs: (outputs, {})
            values.append(list(pair(net).infer(frames=False).values()))
        self.assertEqual(values[0], values[1])

    def test_file(self):
        # The same from a model file that names the class.
        folder = self.folder.name
        path = pair(self.predicate()).write(folder)
        with open(path, encoding='utf-8') as file:
            text = file.read().replace('"type": "DeepPredicate"', '"type": "DeepPredicate", "options": %s' % json.dumps({
                'model-path': 'net.py::Net', 'class-size': '2', 'entity-data-map-path': 'entities.txt', 'save-path': os.path.join(folder, 'net.pt')}))
        with open(path, 'w', encoding='utf-8') as file:
            file.write('# A comment.\n' + text)
        with open(os.path.join(folder, 'net.py'), 'w', encoding='utf-8') as file:
            file.write('import numpy\nimport torch\nfrom hinge import DeepModel\n\n' + inspect.getsource(Net))
        model = ModelFile(path)
        summary = model.learn(epochs=80, psl_config=OPTIONS)
        self.assertEqual([weight for _, weight in summary['rules']], [1, 0.5, 0.1])
        sums = {atom[3]: atom[4] for atom in model.infer(psl_config=OPTIONS)}
        self.assertGreater(sums['1'], 0.5)
        for change, words in [(('net.py::Net', 'net.py'), 'want FILE.py::CLASS'), (('net.py::Net', 'net.py::None'), 'no class None'), (('DeepPredicate', 'StandardPredicate'), 'no DeepPredicate'), (('{', '['), 'model.json: '),
                              ((text, '[]'), 'want a JSON object'), (('/2', '/x'), 'the predicate .*/x has no number')]:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text.replace(*change))
            with self.assertRaisesRegex(ModelError, words):
                ModelFile(path)
        with self.assertRaisesRegex(ModelError, 'none.json cannot be read: No such file'):
            ModelFile('none.json')

    def test_mistakes(self):
        for make, words in [
            (lambda: self.predicate(**{'entity-argument-indexes': '0,1'}), 'all arguments but one'),
            (lambda: DeepPredicate('P', size=2, model=Net()), 'class-size is missing'),
            (lambda: DeepPredicate('P', size=2, model=3, options={'class-size': 1, 'entity-data-map-path': ''}), 'no method internal_predict'),
        ]:
            with self.assertRaisesRegex(PredicateError, words):
                make()
        with self.assertRaisesRegex(ModelError, 'Energy and StructuredPerceptron'):
            pair(self.predicate()).learn('GridSearch')
        with self.assertRaisesRegex(ModelError, 'hinge.torch.Value takes them'):
            pair().infer()
        doubles = Predicate('P', arg_types=[Predicate.ArgType.DOUBLE])
        for rows, words in [(numpy.array([[0.5 + 1j]]), 'row 1: .* is complex'), (numpy.ma.masked_equal([[1.0], [2.0]], 2), 'row 2: a value is missing')]:
            with self.assertRaisesRegex(PredicateError, words):
                doubles.add_data(Partition.TARGETS, rows)
        with self.assertRaisesRegex(PredicateError, 'row 1: .* is complex'):
            doubles.add_data(Partition.TRUTH, [[1, numpy.complex128(0.5 + 1j)]])
        net = self.predicate()
        net.model().internal_predict = lambda data, options: (numpy.zeros((2, 3)), {})
        with self.assertRaisesRegex(ModelError, 'outputs of the shape .2, 3., want .2, 2.'):
            pair(net).learn()


if __name__ == '__main__':
    unittest.main()
