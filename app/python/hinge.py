"""Hinge from Python, with the interface of the reference system's package pslpython.

    from hinge import Model, Partition, Predicate, Rule

    model = Model('smokers')
    friends = Predicate('Friends', closed=True, size=2)
    smokes = Predicate('Smokes', closed=False, size=1)
    friends.add_data(Partition.OBSERVATIONS, [['ann', 'bob']])
    smokes.add_data(Partition.OBSERVATIONS, [['ann']]).add_data(Partition.TARGETS, [['bob']])
    model.add_predicate(friends).add_predicate(smokes)
    model.add_rule(Rule('2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2'))
    model.add_rule(Rule('1: !Smokes(A) ^2'))
    for predicate, rows in model.infer().items():
        print(predicate.name(), rows)  # SMOKES [('bob', 0.6667)]

It needs the program infer (`go build -o bin/ ./cmd/infer`) and nothing beyond the
standard library. infer is looked for in the path and in bin/ of the repository;
Model.INFER_PATH names another place. Where pslpython gives data frames, there are
lists of rows here, (argument, ..., truth); data may be given as data frames.
Mistakes are PredicateError, RuleError and ModelError; the last has the words of infer.
What takes long says how far it is, every ten seconds, to the logger that is given to
infer() or learn(); without one to standard error, or as the program has set logging up;
with logger=False to nobody.
"""

import csv
import enum
import json
import logging
import os
import re
import shutil
import subprocess
import tempfile
import uuid


class Partition(enum.Enum):
    """What data of a predicate are."""

    OBSERVATIONS = 'observations'
    TARGETS = 'targets'
    TRUTH = 'truth'


class PredicateError(Exception):
    """A mistake in a predicate or in its data."""


class RuleError(Exception):
    """A mistake in a rule, as far as it is looked at here."""


class ModelError(Exception):
    """infer could not be run, or ended with an error."""


class Predicate:
    """A predicate and its data."""

    class ArgType(enum.Enum):
        UNIQUE_STRING_ID = 'UniqueStringID'
        UNIQUE_INT_ID = 'UniqueIntID'
        STRING = 'String'
        INT = 'Integer'
        LONG = 'Long'
        DOUBLE = 'Double'

    STRING_TYPES = {ArgType.UNIQUE_STRING_ID, ArgType.STRING}
    INT_TYPES = {ArgType.UNIQUE_INT_ID, ArgType.INT, ArgType.LONG}
    FLOAT_TYPES = {ArgType.DOUBLE}
    DEFAULT_ARG_TYPE = ArgType.UNIQUE_STRING_ID
    DEFAULT_TRUTH_VALUE = 1.0

    def __init__(self, raw_name, closed, size=None, arg_types=None):
        if size is None and not arg_types:
            raise PredicateError('%s: give a size or the types of the arguments' % raw_name)
        if size is not None and size < 1:
            raise PredicateError('%s: the size is %d, want 1 or more' % (raw_name, size))
        if size is not None and arg_types and len(arg_types) != size:
            raise PredicateError('%s: the size is %d, but there are %d types' % (raw_name, size, len(arg_types)))
        self._name = Predicate.normalize_name(raw_name)
        self._closed = closed
        self._types = list(arg_types) if arg_types else [Predicate.DEFAULT_ARG_TYPE] * size
        for t in self._types:
            if not isinstance(t, Predicate.ArgType):
                raise PredicateError('%s: %r is no Predicate.ArgType' % (raw_name, t))
        self._evaluators = []
        self.clear_data()

    def add_data_file(self, partition, path, has_header=False, delim='\t'):
        """Adds the rows of a file. Between tabs quotes are part of a field, as in the data
        of rules; with another delimiter they enclose fields, as in CSV."""
        quoting = csv.QUOTE_NONE if delim == '\t' else csv.QUOTE_MINIMAL
        with open(path, newline='', encoding='utf-8') as file:
            reader = csv.reader(file, delimiter=delim, quoting=quoting, strict=True)
            try:
                rows = [row for row in reader if row]
            except csv.Error as error:
                raise PredicateError('%s: line %d: %s' % (path, reader.line_num, error)) from error
        try:
            return self.add_data(partition, rows[1:] if has_header else rows)
        except PredicateError as error:
            raise PredicateError('%s: %s' % (path, error)) from error

    def add_data_row(self, partition, args, truth_value=DEFAULT_TRUTH_VALUE):
        """Adds one atom."""
        return self.add_data(partition, [list(args) + [truth_value]])

    def add_data(self, partition, data):
        """Adds rows: arguments, and a truth value or not. A data frame is rows, too."""
        if not isinstance(partition, Partition):
            raise PredicateError('%s: %r is no Partition' % (self._name, partition))
        if hasattr(data, 'values') and not isinstance(data, dict):
            data = data.values.tolist()
        rows = []
        for n, row in enumerate(data, 1):
            row = list(row)
            if len(row) == len(self):
                row.append(Predicate.DEFAULT_TRUTH_VALUE)
            if len(row) != len(self) + 1:
                raise PredicateError('%s: row %d has %d fields, want %d or %d' % (self._name, n, len(row), len(self), len(self) + 1))
            try:
                rows.append(tuple(_convert(t, v) for t, v in zip(self._types, row)) + (float(row[-1]),))
            except (TypeError, ValueError) as error:
                raise PredicateError('%s: row %d: %s' % (self._name, n, error)) from error
        self._data[partition].extend(rows)
        return self

    def add_evaluator(self, name, primary=False, **options):
        """Adds an evaluator such as CategoricalEvaluator (not in pslpython)."""
        evaluator = {'evaluator': name, 'primary': primary, 'options': options}
        self._evaluators.append({key: value for key, value in evaluator.items() if value})
        return self

    def clear_data(self):
        self._data = {partition: [] for partition in Partition}
        return self

    def closed(self):
        return self._closed

    def data(self):
        return self._data

    def name(self):
        return self._name

    def types(self):
        return self._types

    def __len__(self):
        return len(self._types)

    def __repr__(self):
        return '%s/%d' % (self._name, len(self))

    @staticmethod
    def normalize_name(name):
        return name.upper()


def _convert(arg_type, value):
    if arg_type in Predicate.INT_TYPES:
        if isinstance(value, float) and value != int(value):
            raise ValueError('%r is no integer' % value)
        return int(value)
    if arg_type in Predicate.FLOAT_TYPES:
        return float(value)
    return str(value)


class Rule:
    """A rule: weight and exponent apart from its text."""

    _WEIGHT = re.compile(r'^\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*:\s*')
    _NEGATIVE = re.compile(r'^\s*-\s*[0-9.]+(?:[eE][-+]?[0-9]+)?\s*:')
    _HARD = re.compile(r'\s+\.\s*$')
    _EXPONENT = re.compile(r'\s*\^\s*([12])\s*$')

    def __init__(self, rule_string, weighted=None, weight=None, squared=None):
        text = rule_string.strip()
        if Rule._NEGATIVE.match(text) or weight is not None and weight < 0:
            raise RuleError('negative weights are not allowed: %s' % rule_string)
        hard = Rule._HARD.search(text)
        if hard:
            if weighted:
                raise RuleError('a rule with a full stop has no weight: %s' % rule_string)
            text, weighted = text[:hard.start()], False
        exponent = Rule._EXPONENT.search(text)
        if exponent:
            given = exponent.group(1) == '2'
            if weighted is False:
                raise RuleError('a rule without a weight has no exponent: %s' % rule_string)
            if squared is not None and squared != given:
                raise RuleError('the rule has another exponent than the argument says: %s' % rule_string)
            text, squared = text[:exponent.start()], given
        match = Rule._WEIGHT.match(text)
        if match:
            given = float(match.group(1))
            if weight is not None and abs(given - weight) > 1e-9 * max(1, given):
                raise RuleError('the rule has another weight than the argument says: %s' % rule_string)
            text, weight = text[match.end():], given
        self._weighted = weighted if weighted is not None else True
        if self._weighted and weight is None:
            raise RuleError('the rule has neither a weight nor a full stop: %s' % rule_string)
        if not self._weighted and (weight is not None or squared):
            raise RuleError('a rule without a weight has neither weight nor exponent: %s' % rule_string)
        self._body, self._weight, self._squared = ' '.join(text.split()), weight, bool(squared)

    def set_weight(self, weight):
        if not self._weighted:
            raise RuleError('a rule without a weight takes none: %s' % self)
        if weight < 0:
            raise RuleError('negative weights are not allowed: %s' % self)
        self._weight = weight
        return self

    def set_squared(self, squared):
        if not self._weighted:
            raise RuleError('a rule without a weight has no exponent: %s' % self)
        self._squared = squared
        return self

    def weight(self):
        return self._weight

    def weighted(self):
        return self._weighted

    def squared(self):
        return self._squared

    def to_string(self, weight_places=None):
        if not self._weighted:
            return self._body + ' .'
        weight = repr(float(self._weight)) if weight_places is None else '%.*f' % (weight_places, self._weight)
        return weight + ': ' + self._body + (' ^2' if self._squared else '')

    def __str__(self):
        return self.to_string()

    __repr__ = __str__

    @staticmethod
    def load_from_file(path):
        """Reads rules, one a line; # and // begin comments."""
        with open(path, encoding='utf-8') as file:
            lines = (line.strip() for line in file)
            return [Rule(line) for line in lines if line and not line.startswith(('#', '//'))]


def _call(command, folder, logger):
    """Runs a program in a folder and logs what it says while it runs. Returns its exit
    code and what it wrote to standard output and to standard error."""
    with tempfile.TemporaryFile('w+', encoding='utf-8') as out:
        try:
            process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.PIPE, encoding='utf-8')
        except OSError as error:
            raise ModelError('%s cannot be run: %s' % (command[0], error)) from error
        said = []
        with process:
            for line in process.stderr:
                said.append(line)
                if logger:
                    (logger.warning if 'warning: ' in line else logger.info)(line.rstrip('\n'))
        out.seek(0)
        return process.returncode, out.read(), ''.join(said)


class Model:
    """Predicates and rules: what infer works on."""

    # The program infer, where it is neither in the path nor in bin/ of the repository.
    INFER_PATH = None
    TRUTH_COLUMN_NAME = 'truth'

    def __init__(self, name=None):
        self._name = name or str(uuid.uuid4())
        self._rules = []
        self._predicates = {}
        self._summary = {}

    def add_predicate(self, predicate):
        if self._predicates.setdefault(predicate.name(), predicate) is not predicate:
            raise ModelError('there are two predicates %s' % predicate.name())
        return self

    def add_rule(self, rule):
        self._rules.append(rule if isinstance(rule, Rule) else Rule(rule))
        return self

    def get_name(self):
        return self._name

    def get_predicate(self, name):
        return self._predicates[Predicate.normalize_name(name)]

    def get_predicates(self):
        return self._predicates

    def get_rules(self):
        return self._rules

    def summary(self):
        """What infer -json said last: sizes, objective, metrics, warnings."""
        return self._summary

    def infer(self, method='', additional_cli_options=(), psl_config=None, jvm_options=(), logger=None, temp_dir=None, cleanup_temp=True):
        """Infers the targets: {predicate: [(argument, ..., truth), ...]}."""
        options = ['--infer'] + ([method] if method else []) + list(additional_cli_options)
        self._run(options, psl_config, logger, temp_dir, cleanup_temp, None)
        results = {p: [] for p in self._predicates.values() if not p.closed() and p.data()[Partition.TARGETS]}
        for atom in self._summary.get('atoms', []):
            p = self._predicates[Predicate.normalize_name(atom['predicate'])]
            args = tuple(_convert(t, v) for t, v in zip(p.types(), atom['arguments']))
            results.setdefault(p, []).append(args + (atom['value'],))
        return results

    def learn(self, method='', additional_cli_options=(), psl_config=None, jvm_options=(), logger=None, temp_dir=None, cleanup_temp=True):
        """Learns the weights and gives them to the rules."""
        options = ['--learn'] + ([method] if method else []) + list(additional_cli_options)

        def learned(folder):
            # The file has the lines of ours, with other weights.
            with open(os.path.join(folder, 'learned', 'rules.psl'), encoding='utf-8') as file:
                for rule, line in zip(self._rules, file.read().splitlines()):
                    if rule.weighted():
                        rule.set_weight(Rule(line).weight())

        self._run(options + ['-output', 'learned'], psl_config, logger, temp_dir, cleanup_temp, learned)
        return self

    @staticmethod
    def _infer_path():
        built = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'bin', 'infer')
        path = shutil.which(Model.INFER_PATH) if Model.INFER_PATH else shutil.which('infer') or shutil.which(built)
        if path is None:
            raise ModelError('the program infer is not found%s: build it by go build -o bin/ ./cmd/infer, or set Model.INFER_PATH'
                             % (', Model.INFER_PATH is %r' % Model.INFER_PATH if Model.INFER_PATH else ''))
        return os.path.abspath(path)

    def _run(self, options, config, logger, temp_dir, cleanup, then):
        if not self._rules:
            raise ModelError('the model has no rules')
        if logger is None:
            logger = logging.getLogger(__name__)
            if not logger.hasHandlers():
                logging.basicConfig(format='%(message)s')
                logger.setLevel(logging.INFO)
        if temp_dir is not None:
            os.makedirs(temp_dir, exist_ok=True)
        folder = tempfile.mkdtemp(prefix='hinge-', dir=temp_dir)
        try:
            path = self._write(folder)
            command = [Model._infer_path(), '-json', '-config', path] + [str(o) for o in options]
            for key, value in (config or {}).items():
                command += ['-D', '%s=%s' % (key, str(value).lower() if isinstance(value, bool) else value)]
            code, out, said = _call(command, folder, logger)
            if code != 0:
                raise ModelError('infer ended with the exit code %d:\n%s' % (code, said.strip()))
            try:
                self._summary = json.loads(out)
            except ValueError as error:
                raise ModelError('%s is not the program infer: it printed no JSON' % command[0]) from error
            if then:
                then(folder)
        finally:
            if cleanup:
                shutil.rmtree(folder)

    def _write(self, folder):
        """Writes the model and its data and returns the path of the model file."""
        predicates = {}
        for p in self._predicates.values():
            entry = {'types': [t.value for t in p.types()]}
            if p._evaluators:
                entry['evaluations'] = p._evaluators
            for partition, rows in p.data().items():
                if not rows or p.closed() and partition != Partition.OBSERVATIONS:
                    continue
                name = '%s_%s.txt' % (p.name(), partition.value)
                with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                    for row in rows:
                        fields = [str(v) for v in (row[:-1] if partition == Partition.TARGETS else row)]
                        if any(c in field for field in fields for c in '\t\r\n'):
                            raise ModelError('%s: a constant of %r holds a tab or a line break' % (p.name(), row))
                        file.write('\t'.join(fields) + '\n')
                entry[partition.value] = [name]
            predicates['%s/%d' % (p.name(), len(p))] = entry
        with open(os.path.join(folder, 'rules.psl'), 'w', encoding='utf-8') as file:
            for rule in self._rules:
                file.write(str(rule) + '\n')
        path = os.path.join(folder, 'model.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'rules': 'rules.psl', 'predicates': predicates}, file, indent=2)
        return path
