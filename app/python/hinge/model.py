"""Models: predicates and rules, and what infer makes of them."""

import importlib.util
import json
import logging
import os
import shutil
import tempfile
import uuid

from . import deep, program
from .predicate import Partition, Predicate, convert
from .program import ModelError
from .rule import Rule


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

    def infer(self, method='', additional_cli_options=(), psl_config=None, jvm_options=(), logger=None, temp_dir=None, cleanup_temp=True,
              split='infer', frames=None):
        """Infers the targets of a split: {predicate: data frame} with the arguments as columns
        0, 1, ... and the values as the column truth. Where pandas is not installed, or with
        frames=False, it is {predicate: [(argument, ..., truth), ...]}. The networks of
        DeepPredicates are asked for their outputs, as `inference`."""
        if frames is None:
            frames = importlib.util.find_spec('pandas') is not None
        self._check_split(split)
        results = {p: [] for p in self._predicates.values() if not p.closed() and not p.deep() and p.rows(Partition.TARGETS, split)}
        networks = deep.networks(self)
        if networks:
            atoms, self._summary = deep.infer(self, networks, split, psl_config)
        else:
            options = ['--infer'] + ([method] if method else []) + ([] if split == 'infer' else ['-partition', split]) + list(additional_cli_options)
            self._run(options, psl_config, logger, temp_dir, cleanup_temp, None)
            atoms = ([atom['predicate']] + atom['arguments'] + [atom['value']] for atom in self._summary.get('atoms', []))
        for name, *args, value in atoms:
            p = self.get_predicate(name)
            results.setdefault(p, []).append(tuple(convert(t, v) for t, v in zip(p.types(), args)) + (value,))
        if not frames:
            return results
        import pandas
        return {p: pandas.DataFrame(rows, columns=list(range(len(p))) + [Model.TRUTH_COLUMN_NAME]) for p, rows in results.items()}

    @staticmethod
    def _check_split(split):
        if split not in Predicate.SPLITS:
            raise ModelError('split %r is none of %s' % (split, ', '.join(Predicate.SPLITS)))

    def learn(self, method='', additional_cli_options=(), psl_config=None, jvm_options=(), logger=None, temp_dir=None, cleanup_temp=True,
              **deep_options):
        """Learns the weights of the rules from the split learn and gives them to the rules. With
        DeepPredicates, the networks learn by their internal_fit: see hinge.deep.learn for the
        methods and for deep_options."""
        networks = deep.networks(self)
        if networks:
            weighted = [rule for rule in self._rules if rule.weighted()]
            self._summary = deep.learn(self, networks, method or 'Energy', psl_config, self._logger(logger), **deep_options)
            if deep_options.get('weight_step'):
                learned = self._summary['rules']
                if len(weighted) != len(learned):
                    raise ModelError('%d rules have become %d: their weights cannot be given back' % (len(weighted), len(learned)))
                for rule, (_, weight) in zip(weighted, learned):
                    rule.set_weight(weight)
            return self
        if deep_options:
            raise ModelError('learn() has no options %s where there is no DeepPredicate' % ', '.join(sorted(deep_options)))
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
    def _logger(logger):
        if logger is None:
            logger = logging.getLogger('hinge')
            if not logger.hasHandlers():
                logging.basicConfig(format='%(message)s')
                logger.setLevel(logging.INFO)
        return logger

    def _run(self, options, config, logger, temp_dir, cleanup, then):
        if not self._rules:
            raise ModelError('the model has no rules')
        logger = self._logger(logger)
        if temp_dir is not None:
            os.makedirs(temp_dir, exist_ok=True)
        folder = tempfile.mkdtemp(prefix='hinge-', dir=temp_dir)
        try:
            path = self.write(folder)
            command = [program.find('infer', Model.INFER_PATH), '-json', '-config', path] + [str(o) for o in options]
            for key, value in (config or {}).items():
                command += ['-D', '%s=%s' % (key, str(value).lower() if isinstance(value, bool) else value)]
            code, out, said = program.call(command, folder, logger)
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

    def write(self, folder):
        """Writes the model and its data as files for infer and train, and returns the path of
        the model file."""
        predicates = {}
        for p in self._predicates.values():
            entry = {'types': [t.value for t in p.types()]}
            if p._evaluators:
                entry['evaluations'] = p._evaluators
            if p.deep():
                entry['type'] = 'DeepPredicate'
            for partition in Partition:
                if p.closed() and partition != Partition.OBSERVATIONS:
                    continue
                files = {}
                for split in (None,) + Predicate.SPLITS:
                    rows = p.data(split)[partition]
                    if rows:
                        files[split or 'all'] = [self._write_rows(folder, p, partition, split or 'all', rows)]
                if files:
                    entry[partition.value] = files
            predicates['%s/%d' % (p.name(), len(p))] = entry
        with open(os.path.join(folder, 'rules.psl'), 'w', encoding='utf-8') as file:
            for rule in self._rules:
                file.write(str(rule) + '\n')
        path = os.path.join(folder, 'model.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'rules': 'rules.psl', 'predicates': predicates}, file, indent=2)
        return path

    @staticmethod
    def _write_rows(folder, p, partition, split, rows):
        name = '%s_%s_%s.txt' % (p.name(), partition.value, split)
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            for row in rows:
                fields = [str(v) for v in (row[:-1] if partition == Partition.TARGETS else row)]
                if any(c in field for field in fields for c in '\t\r\n'):
                    raise ModelError('%s: a constant of %r holds a tab or a line break' % (p.name(), row))
                file.write('\t'.join(fields) + '\n')
        return name
