"""The programs of Hinge: where they are, and how they are run."""

import io
import json
import os
import shutil
import subprocess
import tempfile

_HERE = os.path.dirname(os.path.abspath(__file__))

# Where programs are: of a wheel, and of a repository after `go build -o bin/ ./cmd/...`.
PACKAGE_BIN = os.path.join(_HERE, 'bin')
REPOSITORY_BIN = os.path.join(_HERE, '..', '..', '..', 'bin')

COMMANDS = ['infer', 'rules', 'runs', 'serve', 'train']

# Names that infer knows: methods of inference, methods of learning, evaluators.
METHODS = ('ADMMInference', 'DistributedDualBCDInference', 'DualBCDInference', 'GradientDescentInference', 'GurobiInference')
LEARNERS = ('BinaryCrossEntropy', 'Energy', 'SquaredError', 'StructuredPerceptron', 'energy', 'sp', 'mse', 'bce')
EVALUATORS = ('CategoricalEvaluator', 'DiscreteEvaluator', 'AUCEvaluator', 'ContinuousEvaluator')


class ModelError(Exception):
    """A program could not be run, or ended with an error."""


def _look(name):
    return shutil.which(os.path.join(PACKAGE_BIN, name)) or shutil.which(name) or shutil.which(os.path.join(REPOSITORY_BIN, name))


def commands():
    """The names of the programs that are there."""
    return [name for name in COMMANDS if _look(name)]


def find(name, path=None):
    """Returns the path of a program: the one named, else that of the wheel, else the one in
    the path, else that in bin/ of the repository."""
    found = shutil.which(path) if path else _look(name)
    if found is None:
        raise ModelError('the program %s is not found%s: build it by go build -o bin/ ./cmd/%s, or set Model.INFER_PATH'
                         % (name, ', Model.INFER_PATH is %r' % path if path else '', name))
    return os.path.abspath(found)


def check(argument, name, known, error):
    """Raises the error where a name, also behind the package of a class as in the reference, is none of those known."""
    if not isinstance(name, str) or name.rsplit('.', 1)[-1] not in known:
        raise error('%s is %r, want one of %s' % (argument, name, ', '.join(known)))


def open_text(path, error, newline=None):
    """Reads a text of UTF-8, without a byte order mark; what cannot be read or is not UTF-8 is an error of the type given."""
    try:
        with open(path, 'rb') as file:
            data = file.read()
    except OSError as wrong:
        raise error('%s cannot be read: %s' % (path, wrong.strerror)) from wrong
    try:
        return io.StringIO(data.decode('utf-8-sig'), newline)
    except UnicodeDecodeError as wrong:
        raise error('%s: line %d is not UTF-8 text: save the file as UTF-8' % (path, data.count(b'\n', 0, wrong.start) + 1)) from wrong


def call(command, folder, logger):
    """Runs a program in a folder and logs what it says while it runs. Returns its exit
    code and what it wrote to standard output and to standard error."""
    with tempfile.TemporaryFile('w+', encoding='utf-8') as out:
        try:
            process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.PIPE, encoding='utf-8')
        except OSError as error:
            raise ModelError('%s cannot be run: %s' % (command[0], error)) from error
        said = []
        with process:
            try:
                for line in process.stderr:
                    said.append(line)
                    if logger:
                        (logger.warning if 'warning: ' in line else logger.info)(line.rstrip('\n'))
            except BaseException:
                process.kill()  # nobody waits for its answer any more
                raise
        out.seek(0)
        return process.returncode, out.read(), ''.join(said)


def parse(text):
    """The JSON that a program printed. Values are floats, also 0 and 1, lest a data frame have a column of integers."""
    return json.loads(text, object_hook=lambda entry: {key: float(v) if key == 'value' and type(v) is int else v for key, v in entry.items()})
