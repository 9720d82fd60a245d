"""Predicates and their data."""

import collections.abc
import csv
import enum
import re

from .partition import Partition
from .program import EVALUATORS, check, open_text

_SURROGATE = re.compile('[\ud800-\udfff]')


class PredicateError(Exception):
    """A mistake in a predicate or in its data."""


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
    SPLITS = ('learn', 'validation', 'infer')

    def __init__(self, raw_name, *args, closed=None, size=None, arg_types=None, evaluations=(), deep=False):
        """Takes Predicate(name, closed, size, arg_types) as pslpython 2.2 and 2.3 do, and
        Predicate(name, size, arg_types, evaluations) as 2.4 does. Without closed, a predicate is
        open if it has targets. deep tells that the values of the targets are outputs of a
        network: see hinge.torch.Value."""
        order = ('closed', 'size', 'arg_types') if args and isinstance(args[0], bool) else ('size', 'arg_types', 'evaluations')
        if len(args) > len(order):
            raise PredicateError('%s: there are %d arguments after the name, want at most %d' % (raw_name, len(args), len(order)))
        given = {'closed': closed, 'size': size, 'arg_types': arg_types, 'evaluations': evaluations}
        for name, value in zip(order, args):
            if given[name]:
                raise PredicateError('%s: %s is given twice' % (raw_name, name))
            given[name] = value
        closed, size, arg_types, evaluations = given.values()
        if size is None and not arg_types:
            raise PredicateError('%s: give a size or the types of the arguments' % raw_name)
        if size is not None and size < 1:
            raise PredicateError('%s: the size is %d, want 1 or more' % (raw_name, size))
        if size is not None and arg_types and len(arg_types) != size:
            raise PredicateError('%s: the size is %d, but there are %d types' % (raw_name, size, len(arg_types)))
        if not re.fullmatch('[A-Za-z_$][A-Za-z0-9_$]*', raw_name):
            raise PredicateError('%r is no name for a predicate: letters of ASCII, digits, _ and $ make one, without the number of arguments' % raw_name)
        self._name = Predicate.normalize_name(raw_name)
        if deep and closed:
            raise PredicateError('%s: the outputs of a network are targets: closed has to be False' % raw_name)
        self._closed = closed
        self._deep = deep
        self._types = list(arg_types) if arg_types else [Predicate.DEFAULT_ARG_TYPE] * size
        for t in self._types:
            if not isinstance(t, Predicate.ArgType):
                raise PredicateError('%s: %r is no Predicate.ArgType' % (raw_name, t))
        self._evaluators = list(evaluations or ())
        for e in self._evaluators:
            check('%s: the evaluator' % self._name, e.get('evaluator') if isinstance(e, dict) else e, EVALUATORS, PredicateError)
        self.clear_data()

    def add_data_file(self, partition, path, has_header=False, delim='\t', split=None):
        """Adds the rows of a file, without the white space around fields. Between tabs quotes are part of a field, as in the data
        of rules; with another delimiter they enclose fields, as in CSV."""
        quoting = csv.QUOTE_NONE if delim == '\t' else csv.QUOTE_MINIMAL
        reader = csv.reader(open_text(path, PredicateError, newline=''), delimiter=delim, quoting=quoting, strict=True)
        try:
            rows = [(reader.line_num, [field.strip() for field in row]) for row in reader if row == [''] or ''.join(row).strip() or len(row) > 1]  # "" is a field
        except csv.Error as error:
            raise PredicateError('%s: line %d: %s' % (path, reader.line_num, error)) from error
        return self._add(partition, rows[1:] if has_header else rows, split, '%s: %s: line' % (path, self._name))

    def add_data_row(self, partition, args, truth_value=DEFAULT_TRUTH_VALUE, split=None):
        """Adds one atom."""
        return self.add_data(partition, [list(args) + [truth_value]], split)

    def add_data(self, partition, data, split=None):
        """Adds rows: arguments, and a truth value or not. A data frame is rows, too, of pandas,
        of polars, or of another library that speaks the interchange protocol. With a split, one of SPLITS, they are only there for learning, for validation or for inference."""
        return self._add(partition, enumerate(rows_of(self._name, data), 1), split, '%s: row' % self._name)

    def _add(self, partition, numbered, split, place):
        """Adds rows with their numbers, of a place such as 'A: row'."""
        if not isinstance(partition, Partition):
            raise PredicateError('%s: %r is no Partition' % (self._name, partition))
        if split is not None and split not in Predicate.SPLITS:
            raise PredicateError('%s: split %r is none of %s' % (self._name, split, ', '.join(Predicate.SPLITS)))
        rows = []
        for n, row in numbered:
            row = fields_of('%s %d' % (place, n), row, '1 argument' if len(self) == 1 else '%d arguments' % len(self))
            if len(row) == len(self):
                row.append(Predicate.DEFAULT_TRUTH_VALUE)
            if len(row) != len(self) + 1:
                raise PredicateError('%s %d has %d fields, want %d or %d' % (place, n, len(row), len(self), len(self) + 1))
            try:
                rows.append(tuple(convert(t, v) for t, v in zip(self._types, row)) + (_truth(row[-1]) if partition != Partition.TARGETS else Predicate.DEFAULT_TRUTH_VALUE,))
            except (TypeError, ValueError) as error:
                raise PredicateError('%s %d: %s' % (place, n, error)) from error
        (self._data[partition] if split is None else self._splits.setdefault((partition, split), [])).extend(rows)
        return self

    def add_observed_data(self, data):
        return self.add_data(Partition.OBSERVATIONS, data)

    def add_target_data(self, data):
        return self.add_data(Partition.TARGETS, data)

    def add_truth_data(self, data):
        return self.add_data(Partition.TRUTH, data)

    def add_evaluator(self, name, primary=False, **options):
        """Adds an evaluator such as CategoricalEvaluator (not in pslpython)."""
        check('%s: the evaluator' % self._name, name, EVALUATORS, PredicateError)
        evaluator = {'evaluator': name, 'primary': primary, 'options': options}
        self._evaluators.append({key: value for key, value in evaluator.items() if value})
        return self

    def clear_data(self):
        self._data = {partition: [] for partition in Partition}
        self._splits = {}
        return self

    def closed(self):
        """Reports whether the data are complete: what was given, else whether there are no targets."""
        if self._closed is not None or self._deep:
            return bool(self._closed)
        return not any(self.rows(Partition.TARGETS, split) for split in Predicate.SPLITS)

    def data(self, split=None):
        """The rows of all splits, or those of one alone."""
        if split is None:
            return self._data
        return {partition: self._splits.get((partition, split), []) for partition in Partition}

    def rows(self, partition, split):
        """All rows that a split sees."""
        return self._data[partition] + self._splits.get((partition, split), [])

    def deep(self):
        return self._deep

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


def _truth(value):
    value = number(float, value)
    if not 0 <= value <= 1:
        raise ValueError('the truth value %r is not in [0, 1]' % value)
    return value


def number(kind, value):
    """The value as an int or a float: of texts, those that infer reads as one."""
    _present(value)
    if isinstance(value, str) and ('_' in value or not value.isascii()):
        raise ValueError('%r is no number: write it in the digits 0 to 9, without underscores' % value)
    if getattr(getattr(value, 'dtype', None), 'kind', '') == 'c':
        raise ValueError('%r is complex, want a real number' % value)
    return kind(value)


def convert(arg_type, value):
    _present(value)
    if arg_type in Predicate.INT_TYPES:
        if not isinstance(value, str) and value not in (float('inf'), float('-inf')) and value == number(int, value):
            return int(value)
        if not isinstance(value, str):
            raise ValueError('%r is no integer' % value)
        return number(int, value)
    if arg_type in Predicate.FLOAT_TYPES:
        return number(float, value)
    return constant(value)


def _present(value):
    if value is None or type(value).__name__ in ('NAType', 'MaskedConstant') or value != value:
        raise ValueError('a value is missing: fill it in, or leave out the row')


def constant(value):
    """The text of a constant, as data files keep it."""
    _present(value)
    if isinstance(value, (bytes, bytearray)) or hasattr(value, '__len__') and not isinstance(value, str) and getattr(value, 'ndim', 1) or hasattr(value, 'requires_grad'):
        raise ValueError('%r is a %s, want a text or a number as a constant' % (value, type(value).__name__))
    text = str(value)
    if not text:
        raise ValueError('a constant is empty: fill it in, or leave out the row')
    if text.startswith('\ufeff'):
        raise ValueError('the constant %r begins with a byte order mark, which files do not keep: cut it off' % text)
    if text != text.strip():
        raise ValueError('the constant %r begins or ends with white space, which is not kept: strip it' % text)
    if _SURROGATE.search(text):
        raise ValueError('the constant %r holds half of a surrogate pair, which is no text: decode it again' % text)
    return text


def fields_of(place, row, want):
    """The fields of a row as a list. Of a text they would be its letters, of a dict its keys, of a set in any order."""
    try:
        if isinstance(row, (str, bytes, collections.abc.Mapping, collections.abc.Set)):
            raise TypeError
        return list(row)
    except TypeError:
        raise PredicateError('%s is %r, want a list of %s' % (place, row, want)) from None


def rows_of(name, data):
    """The rows of data of a predicate. Iterating a frame gives its columns, or their names."""
    for rows in ('itertuples', 'iter_rows'):  # of pandas and of polars: columns keep their types
        if hasattr(data, rows):
            return getattr(data, rows)(**({'index': False, 'name': None} if rows == 'itertuples' else {}))
    if hasattr(data, '__dataframe__'):
        from pandas.api.interchange import from_dataframe
        return rows_of(name, from_dataframe(data))
    if isinstance(data, (dict, str, bytes)) or not hasattr(data, '__iter__') or hasattr(data, 'collect'):  # such as a LazyFrame
        raise PredicateError('%s: data are a %s, want rows or a data frame' % (name, type(data).__name__))
    return data
