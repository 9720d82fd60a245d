"""V(w, g) of a model and its gradients, from a process that lives as long as a Program."""

import json
import operator
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import weakref

from . import program
from .program import ModelError

_HELLO, _LOAD, _VALUE, _PULL, _ERROR = 1, 2, 3, 4, 9
_VERSION = 1
_FRAME = struct.Struct('<IIQ')


def real(name, array, dtype='<f8'):
    """The array as one of the type; what would lose a part on the way is refused."""
    import numpy
    if numpy.ma.is_masked(array):
        raise ModelError('%s: values are masked, which is not kept: fill them in by filled(), labels with nan where a target is free' % name)
    array = numpy.asarray(array)
    if array.dtype.kind == 'c':
        raise ModelError('%s: the numbers are complex, want real ones' % name)
    return numpy.asarray(array, dtype=dtype, order='C')


class Solved:
    """What a solve found: values v with the shape of g but for its last dimension; phi, their
    derivatives by the weights, with the rules as last dimension; dg, those by g, of g's
    shape; y, the answers, with the targets as last dimension, or None; largest, m of a pull;
    unsolved, how many solves missed their tolerance; seconds, that all of them took."""

    def __init__(self, v, phi, dg, y, largest, unsolved, seconds):
        self.v, self.phi, self.dg, self.y = v, phi, dg, y
        self.largest, self.unsolved, self.seconds = largest, unsolved, seconds


class _Process:
    """infer -pipe."""

    def __init__(self):
        from .model import Model
        command = [program.find('infer', Model.INFER_PATH), '-pipe']
        try:
            # A session of its own: Ctrl-C is for the program that asks. It ends with its input.
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True)
        except OSError as error:
            raise ModelError('%s cannot be run: %s' % (command[0], error)) from error
        self.owner = os.getpid()
        _widen(self._process.stdin, self._process.stdout)
        try:
            self.call(_HELLO, [struct.pack('<I', _VERSION)])
        except BaseException:
            self.close()
            raise

    def call(self, kind, parts):
        """Sends a request and returns the body of the reply."""
        parts = [memoryview(part).cast('B') if not isinstance(part, bytes) else part for part in parts]
        body = b''.join([_FRAME.pack(kind, 0, sum(len(part) for part in parts))] + parts)
        try:
            view = memoryview(body)
            while view:
                view = view[self._process.stdin.write(view):]
            got, zero, length = _FRAME.unpack(self._read(_FRAME.size))
            if zero or got not in (kind, _ERROR):
                raise ModelError('infer -pipe answered with a frame of the kind %d' % got)
            reply = self._read(length)
        except OSError as error:
            raise ModelError('infer -pipe has ended: %s' % error) from error
        if got == _ERROR:
            raise _Refused(struct.unpack_from('<I', reply)[0], bytes(reply[4:]).decode('utf-8', 'replace'))
        return reply

    def _read(self, length):
        data = bytearray(length)
        view = memoryview(data)
        while view:
            n = self._process.stdout.readinto(view)
            if not n:
                raise ModelError('infer -pipe has ended with the exit code %s' % self._process.wait())
            view = view[n:]
        return data

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        if self.owner != os.getpid():
            self._process.returncode = 0  # a fork has copies of the pipes, and no child
            return
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()  # a fork still holds its copy of the pipe, or a solve goes on
            self._process.wait()

    def kill(self):
        self._process.kill()


class _Refused(ModelError):
    """A mistake in a request: the process goes on."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def _widen(*files):
    """Lets a pipe hold a megabyte, where the system can."""
    try:
        import fcntl
        for file in files:
            fcntl.fcntl(file.fileno(), getattr(fcntl, 'F_SETPIPE_SZ', 1031), 1 << 20)
    except (ImportError, OSError):
        pass


def _remove(folder, owner):
    if owner == os.getpid():  # a fork that ends leaves it to the program that made it
        shutil.rmtree(folder, ignore_errors=True)


_PROGRAMS = weakref.WeakSet()


def _unlock():
    """Gives the programs of a fork new locks."""
    for p in _PROGRAMS:
        p._lock = threading.Lock()


if hasattr(os, 'register_at_fork'):  # the thread that holds a lock is not in the fork
    os.register_at_fork(after_in_child=_unlock)


class Program:
    """A ground program: V(w, g), its gradients and its answers, as arrays of numpy.

    model is a Model or the path of a model file; the outputs of its deep predicates are g.
    split is the data to load. epsilon is the regularisation (default: the model's, else
    1e-3), gap the relative duality gap of a solve, method one of infer's methods, threads
    its goroutines; options are those of the model, as in psl_config. With check each solution
    is judged outside the solver, and one that is not optimal is an error.

    rules, weights: the weighted rules and the weights that they have in the model,
                    divided by the largest unless inference.normalize is false
    hard_rules:     the others
    outputs:        the atoms of g in its order, (predicate, argument, ...)
    targets:        those of the answers
    truth:          the true value of each target, nan where it has none: labels to learn from
    epsilon, warnings, sizes

    The process is started when it is needed, also after a fork or an interruption (warm
    states are lost then), and ends with close(). Calls from several threads wait for each other.
    """

    def __init__(self, model, split='infer', epsilon=None, gap=None, method='', threads=0, options=None, check=False):
        import numpy
        from .model import Model
        self._np = numpy
        for name, value in (('epsilon', epsilon), ('gap', gap)):
            if value is not None and not 0 < value < float('inf'):
                raise ModelError('%s is %s: give a positive one, or None for the default' % (name, value))
        self._lock = threading.Lock()
        _PROGRAMS.add(self)
        self._process = self._finalizer = None
        self._folder = None
        if hasattr(model, 'write'):
            self._folder = tempfile.mkdtemp(prefix='hinge-')
            self._cleaner = weakref.finalize(self, _remove, self._folder, os.getpid())
            model = model.write(self._folder)
        self._request = {
            'model': os.path.abspath(model), 'partition': split, 'method': method, 'epsilon': float(epsilon or 0), 'gap': float(gap or 0), 'threads': operator.index(threads), 'check': bool(check),
            'options': ['%s=%s' % (key, str(value).lower() if isinstance(value, bool) else value) for key, value in (options or {}).items()],
        }
        loaded = self._open()
        self.rules = [rule['rule'] for rule in loaded['rules']]
        self.weights = numpy.array([rule['weight'] for rule in loaded['rules']], dtype=float)
        self.hard_rules = loaded['hard_rules']
        self.outputs = [tuple(atom) for atom in loaded['outputs']]
        self.targets = [tuple(atom) for atom in loaded['targets']]
        self.truth = numpy.array([numpy.nan if v is None else v for v in loaded['truth']], dtype=float)
        self.epsilon = loaded['epsilon']
        self.warnings = loaded['warnings']
        for text in self.warnings:
            Model._logger(None).warning('infer: warning: ' + text)
        self.sizes = {key: loaded[key] for key in ('potentials', 'constraints', 'components')}

    def _open(self):
        process = _Process()
        try:
            loaded = json.loads(bytes(process.call(_LOAD, [json.dumps(self._request).encode()])))
        except BaseException:
            process.close()
            raise
        self._process, self._number = process, loaded['program']
        self._finalizer = weakref.finalize(self, _Process.close, process)
        return loaded

    def _call(self, kind, parts):
        with self._lock:
            if self._process is not None and self._process.owner != os.getpid():
                self._finalizer()
                self._process = None
            if self._process is None:
                self._open()
            try:
                return self._process.call(kind, [struct.pack('<I', self._number)] + parts)
            except _Refused:
                raise
            except BaseException:
                # Nobody knows how much of a frame was read: begin anew with the next call.
                self._process.kill()
                self._finalizer()
                self._process = None
                raise

    def close(self):
        """Ends the process; a later call starts another."""
        with self._lock:
            if self._process is not None:
                self._finalizer()
                self._process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __getstate__(self):
        raise TypeError('a Program cannot be pickled: make one in each process')

    def solve(self, g=None, w=None, labels=None, keys=None, answers=False):
        """Solves for each row of g, an array whose last dimension is the outputs; the others
        are the shape of the values. w are the weights of the rules, by default the model's.

        labels fix targets: an array whose last dimension is the targets, nan where one is
        free, and whose others are the last of those of g but for the outputs, so that draws
        of a sample, in the first dimensions of g, have the sample's labels. keys, integers
        of such a shape, name samples whose solves start where their last one ended; without
        keys but with labels, the smaller program given the labels is solved. answers asks
        for y."""
        return self._solve(_VALUE, g, w, labels, keys, answers, None)

    def pull(self, y, slopes, nudge, g=None, w=None, labels=None, keys=None):
        """Solves with the answers y of a solve pulled by the derivatives of a loss by them, of
        the same shape. With f of either, (pull.f - solve.f) * pull.largest / nudge tends to the
        derivative of the loss: for phi summed over all rows by w, for dg by g. nudge is how
        hard is pulled; a small one is exact, and needs a small gap."""
        return self._solve(_PULL, g, w, labels, keys, False, (y, slopes, nudge))

    def _solve(self, kind, g, w, labels, keys, answers, pull):
        from .model import Model
        np, outputs, targets = self._np, len(self.outputs), len(self.targets)
        g = np.zeros(0) if g is None else real('g', g)
        if g.ndim == 0 or g.shape[-1] != outputs:
            raise ModelError('g has the shape %s, want (..., %d) for the outputs of the model' % (g.shape, outputs))
        w = real('w', self.weights if w is None else w)
        if w.shape != self.weights.shape:
            raise ModelError('w has the shape %s, want %s' % (w.shape, self.weights.shape))
        shape = g.shape[:-1]
        slots = samples = int(np.prod(shape, dtype=int))
        if slots == 0:
            raise ModelError('g has no row')
        rows = 0
        if labels is not None:
            labels = real('labels', labels)
            if labels.shape[-1:] != (targets,) or labels.shape[:-1] != shape[len(shape) - labels.ndim + 1:]:
                raise ModelError('labels have the shape %s, want (..., %d) with the last dimensions of %s before it' % (labels.shape, targets, shape))
            rows = labels.size // max(targets, 1)
            if labels.ndim > 1:
                samples = rows
            else:
                rows = 1
        if keys is not None:
            keys = real('keys', keys, None)
            if keys.dtype.kind not in 'iu':
                raise ModelError('keys are %s, want integers' % keys.dtype)
            keys = np.asarray(keys, dtype='<i8', order='C')
            if keys.shape != shape[len(shape) - keys.ndim:] or rows > 1 and keys.size != samples:
                raise ModelError('keys have the shape %s, want the last dimensions of %s, as labels have them' % (keys.shape, shape))
            samples = keys.size
        if slots * max(outputs, 1) >= 1 << 31:
            raise ModelError('g has %d rows of %d outputs: too many for one request' % (slots, outputs))
        parts = [struct.pack('<9I', answers, slots // samples, samples, len(w), outputs, targets, rows, 0 if keys is None else samples, 0), w, g.ravel()]
        parts += [array.ravel() for array in (labels, keys) if array is not None]
        if pull is not None:
            y, slopes, nudge = pull
            for array in (y, slopes):
                if np.shape(array) != shape + (targets,):
                    raise ModelError('answers or slopes have the shape %s, want %s' % (np.shape(array), shape + (targets,)))
            parts += [struct.pack('<d', nudge)] + [real('answers or slopes', array).ravel() for array in (y, slopes)]
        reply = self._call(kind, [part.data if hasattr(part, 'data') and part.size else part if isinstance(part, bytes) else b'' for part in parts])
        unsolved = struct.unpack_from('<I', reply, 16)[0]
        if unsolved:
            Model._logger(None).warning('hinge: %d solves missed their tolerance: their values are inexact', unsolved)
        numbers = np.frombuffer(reply, dtype='<f8', offset=24)
        at = 1

        def take(*last):
            nonlocal at
            size = slots * int(np.prod(last, dtype=int))
            part = numbers[at:at + size].reshape(shape + last)
            at += size
            return part

        v, phi, dg = take(), take(len(w)), take(outputs)
        y = take(targets) if answers else None
        largest = float(numbers[at]) if pull is not None else None
        return Solved(v, phi, dg, y, largest, unsolved, float(numbers[0]))
