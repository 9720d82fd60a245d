"""Trained runs: what a run of train learned, applied to new examples."""

import os
import tempfile

from . import program
from .predicate import PredicateError, constant, fields_of, rows_of
from .program import ModelError


class Run:
    """The folder of a run of `train` with a model file; the program train is found as infer is.

        run = hinge.Run('runs/pairs')
        answer = run.predict(Pair=[['p1', 'photos/a.png', 'photos/b.png']])
        answer['atoms']   # [{'atom': 'Sum(p1,7)', 'value': 0.98}, ...]

    model is the path of the model file where it is not the one that the run was given, which counts
    from the present folder if it is relative.
    """

    TRAIN_PATH = None

    def __init__(self, folder, model=None):
        self._folder, self._model = os.path.abspath(folder), model and os.path.abspath(model)

    def predict(self, files=(), folder='.', **rows):
        """Answers examples: rows of one observed predicate of the model, by its name, each a list of
        its arguments, or a data frame. An argument that names no features may be the path of a
        picture, from folder. files are further arguments of -predict, PREDICATE=PATH, with the
        features of new names. Returns the object of train -predict -json."""
        if len(rows) > 1:
            raise ModelError('rows of %s; answer those of one predicate at a time' % ' and of '.join(sorted(rows)))
        if isinstance(files, (str, os.PathLike)) or not rows and not files:
            raise ModelError('files are %r; give a list of paths, or rows of a predicate of the model' % (files,))
        command = [program.find('train', Run.TRAIN_PATH), '-out', self._folder, '-json']
        if self._model:
            command += ['-model', self._model]
        for path in files:
            command += ['-predict', path]
        handle, path = tempfile.mkstemp(suffix='.txt', prefix='.hinge-', dir=folder)
        try:
            with os.fdopen(handle, 'w', encoding='utf-8') as file:  # closed before train opens it
                for name, data in rows.items():
                    command += ['-predict', '%s=%s' % (name, os.path.abspath(path))]
                    for n, row in enumerate(rows_of(name, data), 1):
                        row = fields_of('%s: row %d' % (name, n), row, 'arguments')
                        try:
                            fields = [constant(v) for v in row]
                        except ValueError as error:
                            raise PredicateError('%s: row %d: %s' % (name, n, error)) from error
                        if any(c in field for field in fields for c in '\t\r\n'):
                            raise ModelError('%s: the row %r holds a tab or a line break' % (name, row))
                        file.write('\t'.join(fields) + '\n')
            code, out, said = program.call(command, os.getcwd(), None)
        finally:
            os.remove(path)
        if code != 0:
            raise ModelError('train ended with the exit code %d:\n%s' % (code, said.strip()))
        return program.parse(out)
