"""V(w, g) and the answers of a model as functions of PyTorch: networks learn through rules.

    value = hinge.torch.Value(model)             # grounds once, keeps a process
    loss = value(net(images), labels=value.truth).mean()
    loss.backward()

Theorem 5.2 of the paper: the derivatives of V are Phi(y*) by the weights of the rules and
B'mu* by the outputs. They come with the value, so that backward asks nobody.
"""

import math

import numpy
import torch

from .pipe import Program
from .program import ModelError


class _Once(torch.autograd.Function):
    """Derivatives that have none themselves: asking for them is an error, not 0."""

    @staticmethod
    def forward(ctx, derivative, *inputs):
        return derivative.clone()

    @staticmethod
    def backward(ctx, _):
        raise RuntimeError('V and answers have no second derivatives here: leave out create_graph, or detach the first ones')


def _once(inputs, *derivatives):
    """The derivatives, None among them, of a function of the inputs."""
    if not torch.is_grad_enabled():
        return derivatives
    return tuple(None if d is None else _Once.apply(d.detach(), *inputs) for d in derivatives)


class _Value(torch.autograd.Function):
    @staticmethod
    def forward(ctx, program, labels, keys, w, g):
        solved = program.solve(_array(g), _array(w), labels, keys)
        ctx.save_for_backward(_like(solved.phi, w), _like(solved.dg, g))
        ctx.inputs = w, g
        return _like(solved.v, g)

    @staticmethod
    def backward(ctx, dv):
        phi, dg = ctx.saved_tensors
        dw = dv.to(phi.device).reshape(-1) @ phi.reshape(dv.numel(), -1) if ctx.needs_input_grad[3] else None
        w, g = ctx.inputs
        return None, None, None, *_once((w, g), _cast(dw, w.dtype), _cast(dv.unsqueeze(-1) * dg, g.dtype))


class _Answer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, program, labels, keys, nudge, w, g):
        solved = program.solve(_array(g), _array(w), labels, keys, answers=True)
        ctx.program, ctx.labels, ctx.keys, ctx.nudge, ctx.solved = program, labels, keys, nudge, solved
        ctx.save_for_backward(w, g)
        return _like(solved.y.copy(), g)  # backward has the answers as they are now

    @staticmethod
    def backward(ctx, dy):
        w, g = ctx.saved_tensors
        full = ctx.solved
        pulled = ctx.program.pull(full.y, _array(dy), ctx.nudge, _array(g), _array(w), ctx.labels, ctx.keys)
        unit = pulled.largest / ctx.nudge
        dw = _like((pulled.phi - full.phi).reshape(-1, w.numel()).sum(0) * unit, w).to(w.dtype) if ctx.needs_input_grad[4] else None
        return None, None, None, None, *_once((w, g), dw, _like((pulled.dg - full.dg) * unit, g).to(g.dtype))


def _array(tensor):
    if not isinstance(tensor, torch.Tensor) or tensor.is_complex():
        raise ModelError('outputs and weights are tensors of real numbers, not %s: make one by torch.tensor(..., dtype=torch.float64)'
                         % (tensor.dtype if isinstance(tensor, torch.Tensor) else 'a ' + type(tensor).__name__))
    return tensor.detach().to('cpu', torch.float64).numpy()


def _like(array, tensor):
    """The array as float64 where the tensor is."""
    return torch.from_numpy(array).to(tensor.device)


def _cast(tensor, dtype):
    return None if tensor is None else tensor.to(dtype)


class Value:
    """V(w, g) of a model; the arguments are those of hinge.Program.

    value(g) has the shape of g but for its last dimension, the outputs, and is float64 on
    g's device. labels and keys are as in Program.solve; w, the weights of the rules, may
    require a gradient and are by default value.weights, the model's: learn a clone() of these.
    value.answer(g) are the MAP states; their gradient costs a second solve in backward.
    """

    def __init__(self, model, split='infer', **arguments):
        self.program = Program(model, split, **arguments)
        self.weights = torch.from_numpy(self.program.weights)
        self.truth = torch.from_numpy(self.program.truth)
        self.rules, self.outputs, self.targets = self.program.rules, self.program.outputs, self.program.targets

    def __call__(self, g, w=None, labels=None, keys=None):
        return _Value.apply(self.program, _plain(labels), _plain(keys), self.weights if w is None else w, g)

    def answer(self, g, w=None, labels=None, keys=None, nudge=0.1):
        """The MAP states y*, with the targets as last dimension. nudge is how hard backward
        pulls at them: a small one is the derivative at the point and wants a small gap, a
        large one looks further, with rougher derivatives by w."""
        labels, keys = (None if x is None else numpy.array(_plain(x), subok=True) for x in (labels, keys))  # backward has them as they are now
        return _Answer.apply(self.program, labels, keys, nudge, self.weights if w is None else w, g)

    def close(self):
        """Ends the process; a later call starts another."""
        self.program.close()


def soft_minimum(values, temperature):
    """-T log of the mean of exp(-V/T) over the first dimension, the draws of the outputs."""
    if not isinstance(values, torch.Tensor):
        raise TypeError('the values are a %s, want a tensor: torch.stack makes one of several' % type(values).__name__)
    if not (torch.as_tensor(temperature) > 0).all():
        raise ValueError('the temperature is %r, want a positive one: the limit at 0 is values.amin(0)' % temperature)
    return -temperature * (torch.logsumexp(-values / temperature, 0) - math.log(len(values)))


def _plain(array):
    if isinstance(array, torch.Tensor) and array.requires_grad and torch.is_grad_enabled():
        raise ModelError('V has no derivative by labels here: detach() them')
    if not isinstance(array, torch.Tensor):
        return array
    array = array.detach().cpu()
    return (array.double() if array.is_floating_point() else array).numpy()  # numpy has no bfloat16
