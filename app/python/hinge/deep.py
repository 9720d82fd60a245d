"""Predicates behind which a network of one's own is, with the reference's class DeepModel.

    class Net(DeepModel):
        def internal_init(self, application, options={}): ...
        def internal_predict(self, data, options={}): ...          # outputs, {}
        def internal_fit(self, data, gradients, options={}): ...   # {'loss': ...}
        def internal_eval(self, data, options={}): ...
        def internal_save(self, options={}): ...

    digit = DeepPredicate('Digit', size=2, model=Net(), options={'class-size': 10,
        'entity-argument-indexes': '0', 'entity-data-map-path': 'images.txt', 'save-path': 'net.pt'})
    digit.add_data(Partition.TARGETS, [[image, digit] ...])
    model.add_predicate(digit).learn('Energy', epochs=50)
    model.infer()

Networks may be of any library: they get arrays of numpy and give them. ModelFile is the same
for a model file of the reference.
"""

import importlib.util
import json
import os

from .predicate import Partition, Predicate, PredicateError, number
from .pipe import real
from .program import ModelError, open_text


class DeepModel:
    """What the reference calls of a network. Any object with these methods will do, also one
    of a class made for pslpython. data is an array with a row of features an entity, in the
    order of the entity-data-map; options are those of the predicate, with 'learn', whether
    outputs are asked for to learn from."""

    def internal_init(self, application, options={}):
        """Makes the network, for the application 'learning', or reads it, for 'inference'.
        internal_init_model, its name in older versions, is called where it is defined."""
        raise NotImplementedError('internal_init')

    def internal_predict(self, data, options={}):
        """Returns an array of outputs in [0, 1], a row an entity and a column a class, and a dict."""
        raise NotImplementedError('internal_predict')

    def internal_fit(self, data, gradients, options={}):
        """Takes a step, given the derivatives of the loss by the outputs predicted last, and
        returns a dict of numbers to report."""
        raise NotImplementedError('internal_fit')

    def internal_eval(self, data, options={}):
        """Returns a dict of metrics, in which a low 'loss' is good."""
        return {'loss': 0.0}

    def internal_save(self, options={}):
        raise NotImplementedError('internal_save')

    def internal_epoch_start(self, options={}):
        return None

    def internal_epoch_end(self, options={}):
        return None

    def internal_next_batch(self, options={}):
        return None

    def internal_is_epoch_complete(self, options={}):
        return {'is_epoch_complete': True}


class DeepPredicate(Predicate):
    """A predicate whose targets are the outputs of model, a DeepModel. Its options are the
    reference's: class-size; entity-argument-indexes, the arguments that name the entity (by
    default all but the last; the other one is the class, 0 to class-size - 1);
    entity-data-map-path, a file with a line an entity: its arguments, then its features,
    between tabs; relative-dir, the folder that this path counts from. All options go to the model's methods."""

    def __init__(self, raw_name, size=None, arg_types=None, model=None, options=None):
        super().__init__(raw_name, closed=False, size=size, arg_types=arg_types, deep=True)
        self._model = model
        self._options = dict(options or {})
        for key in ('class-size', 'entity-data-map-path'):
            if key not in self._options:
                raise PredicateError('%s: the option %s is missing' % (raw_name, key))
        indexes = self._options.setdefault('entity-argument-indexes', ','.join(str(i) for i in range(len(self) - 1)))
        self._entity = [int(i) for i in str(indexes).split(',')]
        others = sorted(set(range(len(self))) - set(self._entity))
        if len(others) != 1 or len(self._entity) != len(set(self._entity)) or min(self._entity) < 0:
            raise PredicateError('%s: entity-argument-indexes are %s, want all arguments but one, the class' % (raw_name, indexes))
        self._class = others[0]
        for method in ('internal_predict', 'internal_fit'):
            if not callable(getattr(model, method, None)):
                raise PredicateError('%s: the model %r has no method %s' % (raw_name, model, method))

    def model(self):
        return self._model

    def options(self):
        return self._options

    def read_entities(self):
        """Reads the entity-data-map: the names of the entities and their features."""
        import numpy
        names, features = {}, []
        path, n = os.path.join(self._options.get('relative-dir', ''), self._options['entity-data-map-path']), len(self._entity)
        for row, line in enumerate(open_text(path, PredicateError), 1):
            fields = line.rstrip('\n').split('\t')
            try:
                features.append([number(float, v) for v in fields[n:]])
            except ValueError as error:
                raise PredicateError('%s:%d: %s' % (path, row, error)) from error
            if len(fields) < n or len(features[-1]) != len(features[0]):
                raise PredicateError('%s:%d: %d fields, want %d' % (path, row, len(fields), n + len(features[0])))
            if names.setdefault(tuple(fields[:n]), row - 1) != row - 1:
                raise PredicateError('%s:%d: the entity %s has a line already' % (path, row, ' '.join(fields[:n])))
        return names, numpy.array(features)


class _Network:
    """A DeepPredicate with where its outputs are in g."""

    def __init__(self, predicate, outputs, application):
        import numpy
        self._np = numpy
        self.predicate, self.model = predicate, predicate.model()
        names, features = predicate.read_entities()
        classes = int(predicate.options()['class-size'])
        columns, entities, cells, order = [], [], [], {}
        for column, (name, *args) in enumerate(outputs):
            if Predicate.normalize_name(name) != predicate.name():
                continue
            entity = tuple(args[i] for i in predicate._entity)
            if entity not in names:
                raise ModelError('%s(%s): %s has no line for the entity' % (predicate.name(), ', '.join(args), predicate.options()['entity-data-map-path']))
            label = args[predicate._class]
            if not label.isdigit() or int(label) >= classes:
                raise ModelError('%s(%s): the class is not one of 0 to %d' % (predicate.name(), ', '.join(args), classes - 1))
            if entity not in order:
                order[entity] = len(entities)
                entities.append(names[entity])
            columns.append(column)
            cells.append(order[entity] * classes + int(label))
        self.columns, self.cells = numpy.array(columns, dtype=int), numpy.array(cells, dtype=int)
        self.shape = (len(entities), classes)
        self.data = features[entities]
        init = getattr(self.model, 'internal_init_model', None) or self.model.internal_init
        init(application, options=predicate.options())

    def call(self, method, *arguments):
        """Calls an optional method."""
        found = getattr(self.model, method, None)
        return found(*arguments, options=self.predicate.options()) if found else None

    def predict(self, g, learn):
        self.predicate.options()['learn'] = learn
        predictions, _ = self.model.internal_predict(self.data, options=self.predicate.options())
        if hasattr(predictions, 'detach'):
            predictions = predictions.detach().cpu()
            predictions = predictions.double() if predictions.is_floating_point() else predictions  # numpy has no bfloat16
        predictions = real('the outputs of the network', predictions)
        if predictions.shape != self.shape:
            raise ModelError('%s: the network gives outputs of the shape %s, want %s' % (self.predicate.name(), predictions.shape, self.shape))
        g[self.columns] = predictions.ravel()[self.cells]

    def fit(self, dg):
        gradients = self._np.zeros(self.shape[0] * self.shape[1], dtype='float32')
        gradients[self.cells] = dg[self.columns]
        return self.model.internal_fit(self.data, gradients.reshape(self.shape), options=self.predicate.options()) or {}


def networks(model):
    """The DeepPredicates of a model."""
    deep = [p for p in model.get_predicates().values() if p.deep()]
    for p in deep:
        if not isinstance(p, DeepPredicate):
            raise ModelError('%s has outputs, but no network: hinge.torch.Value takes them, or make it a DeepPredicate' % p.name())
    return deep


def _open(model, deep, split, config, application, **arguments):
    """The program of a model, its networks and an empty g."""
    import numpy
    from .pipe import Program
    program = Program(model, split, options=config, **arguments)
    try:
        return program, [_Network(p, program.outputs, application) for p in deep], numpy.zeros(len(program.outputs))
    except BaseException:
        program.close()
        raise


def infer(model, deep, split, config):
    """The targets with their values, [(predicate, argument, ..., value)], and a summary."""
    program, nets, g = _open(model, deep, split, config, 'inference', epsilon=1e-8)
    with program:
        for net in nets:
            net.predict(g, False)
        y = program.solve(g, answers=True).y
        results = {net.predicate.name(): net.call('internal_eval', net.data) for net in nets}
        return [atom + (float(value),) for atom, value in zip(program.targets, y)], {'metrics_networks': results, 'warnings': program.warnings}


# The reference's names of the losses that are functions of V.
_METHODS = {'energy': 'energy', 'energyloss': 'energy', 'structuredperceptron': 'sp', 'sp': 'sp'}


def learn(model, deep, method, config, logger, epochs=100, weight_step=0.0, epsilon=None):
    """Model.learn where there are DeepPredicates. The true values of the targets are the
    labels. method is Energy, the value V at the labels, or StructuredPerceptron, that less
    the value without them.

    An epoch is internal_epoch_start, steps and internal_epoch_end; a step is internal_predict,
    V and internal_fit; between two come internal_next_batch, as long as
    internal_is_epoch_complete does not say so. The rules' weights stay, or, with weight_step,
    take a step of mirror descent on the unit simplex each time. internal_save is called at
    the end where the predicate has the option save-path. Returns a summary, in which rules are
    pairs of a weighted rule and its weight."""
    import time
    import numpy
    loss = _METHODS.get(method.lower().replace('_', ''))
    if loss is None:
        raise ModelError('with DeepPredicates the methods of learn() are Energy and StructuredPerceptron, not %r' % method)
    program, nets, g = _open(model, deep, 'learn', config, 'learning', epsilon=epsilon)
    with program:
        if numpy.isnan(program.truth).all():
            raise ModelError('no target has a true value: there is nothing to learn from')
        w = program.weights
        if weight_step > 0:
            w = w / w.sum()
        said, reports, value, steps = time.monotonic(), {}, 0.0, 0
        for epoch in range(epochs):
            for net in nets:
                net.call('internal_epoch_start')
            complete = False
            while not complete:
                for net in nets:
                    net.predict(g, True)
                solved = program.solve(g, w, labels=program.truth)
                value, dg, dw = float(solved.v), solved.dg, solved.phi
                if loss == 'sp':
                    full = program.solve(g, w, keys=numpy.array(0))
                    value, dg, dw = value - float(full.v), dg - full.dg, dw - full.phi
                for net in nets:
                    reports[net.predicate.name()] = net.fit(dg)
                if weight_step > 0:
                    w = w * numpy.exp(-weight_step * (dw - dw.min()))
                    w = w / w.sum()
                steps += 1
                complete = all((net.call('internal_is_epoch_complete') or {}).get('is_epoch_complete', True) for net in nets)
                if not complete:
                    for net in nets:
                        net.call('internal_next_batch')
            for net in nets:
                net.call('internal_epoch_end')
            if logger and (time.monotonic() - said > 10 or epoch + 1 == epochs):
                said = time.monotonic()
                logger.info('hinge: epoch %d of %d, %s %.6g %s', epoch + 1, epochs, loss, value, reports)
        for net in nets:
            if 'save-path' in net.predicate.options():
                net.call('internal_save')
        return {'loss': loss, 'value': value, 'rules': list(zip(program.rules, w.tolist())), 'epochs': epochs, 'steps': steps, 'networks': reports, 'warnings': program.warnings}


class ModelFile:
    """A model file of the reference, in JSON, whose DeepPredicates name Python classes: the
    option model-path is FILE.py::CLASS, from the folder of the model file, as is
    entity-data-map-path; the models find that folder in the option relative-dir."""

    def __init__(self, path):
        self._path = os.path.abspath(path)
        folder = os.path.dirname(self._path)
        try:
            description = json.loads(''.join(line if not line.lstrip().startswith('#') else '\n' for line in open_text(path, ModelError)))
        except ValueError as error:
            raise ModelError('%s: %s' % (path, error)) from error
        self._deep = []
        predicates = description.get('predicates', {}) if isinstance(description, dict) else None
        if not isinstance(predicates, dict):
            raise ModelError('%s: want a JSON object whose predicates are an object' % path)
        for key, entry in predicates.items():
            if not isinstance(entry, dict) or entry.get('type') != 'DeepPredicate':
                continue
            name, _, size = key.partition('/')
            if size and not (size.isascii() and size.isdigit()):
                raise ModelError('%s: the predicate %s has no number of arguments after the stroke' % (path, key))
            size = int(size) if size else entry.get('arity') or len(entry.get('types', []))
            options = dict(entry.get('options', {}), **{'relative-dir': folder})
            self._deep.append(DeepPredicate(name, size=size, model=_load(os.path.join(folder, str(options.get('model-path'))), key), options=options))
        if not self._deep:
            raise ModelError('%s has no DeepPredicate: `python -m hinge infer -model FILE` infers and learns it' % path)

    def infer(self, split='infer', psl_config=None):
        """The targets with their values, [(predicate, argument, ..., value)]."""
        return infer(self._path, self._deep, split, psl_config)[0]

    def learn(self, method='Energy', psl_config=None, logger=None, **options):
        """As learn: the networks learn, and a summary comes back."""
        return learn(self._path, self._deep, method, psl_config, logger, **options)


def _load(path, predicate):
    """An object of the class that FILE.py::CLASS names."""
    file, _, name = path.partition('::')
    spec = importlib.util.spec_from_file_location('hinge_model_' + os.path.basename(file).partition('.')[0], file)
    if not name or spec is None or not os.path.exists(file):
        raise ModelError('%s: model-path is %s, want FILE.py::CLASS of a file that is there' % (predicate, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise ModelError('%s: %s has no class %s' % (predicate, file, name))
    return getattr(module, name)()
