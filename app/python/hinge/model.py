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
        self._options = {}
        self._summary = {}
        self._thresholds = []  # lines that learn(additional_cli_options=['-threshold', ...]) found

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

    def add_options(self, options):
        """Sets options that infer(), learn() and ground() take beside their own."""
        self._options.update(options)

    def get_options(self):
        return self._options

    def clear_options(self):
        self._options = {}

    def summary(self):
        """What infer -json said last: sizes, objective, metrics, warnings."""
        return self._summary

    def infer(self, method='', *args, split='infer', frames=None, **options):
        """Infers the targets of a split: {predicate: data frame} with the arguments as columns
        0, 1, ... and the values as the column truth: of pandas, with frames='polars' of polars,
        whose columns are '0', '1', .... Where pandas is not installed, or with frames=False, it is {predicate: [(argument, ..., truth), ...]}. The networks of
        DeepPredicates are asked for their outputs, as `inference`. The other arguments are those
        of pslpython 2.2 and 2.3 (additional_cli_options, psl_config, jvm_options, logger,
        temp_dir, cleanup_temp) or of 2.4 (psl_options, jvm_options, transform_config)."""
        run = _Run(self, args, options)
        if frames not in (None, True, False, 'pandas', 'polars'):
            raise ModelError("frames is %r, want True, False, 'pandas' or 'polars'" % (frames,))
        if frames is None:
            frames = importlib.util.find_spec('pandas') is not None
        self._check_split(split)
        results = {p: [] for p in self._predicates.values() if not p.closed() and not p.deep() and p.rows(Partition.TARGETS, split)}
        networks = deep.networks(self)
        if networks:
            run.only_options('infer', method)
            atoms, self._summary = deep.infer(self, networks, split, run.options)
        else:
            if method:
                program.check('the method of infer()', method, program.METHODS, ModelError)
            run(['--infer'] + ([method] if method else []) + ([] if split == 'infer' else ['-partition', split]))
            atoms = ([atom['predicate']] + atom['arguments'] + [atom['value']] for atom in self._summary.get('atoms', []))
        for name, *args, value in atoms:
            p = self.get_predicate(name)
            results.setdefault(p, []).append(tuple(convert(t, v) for t, v in zip(p.types(), args)) + (value,))
        if not frames:
            return results
        if frames == 'polars':
            import polars
            return {p: polars.DataFrame(rows, schema=[str(i) for i in range(len(p))] + [Model.TRUTH_COLUMN_NAME], orient='row') for p, rows in results.items()}
        import pandas
        return {p: pandas.DataFrame(rows, columns=list(range(len(p))) + [Model.TRUTH_COLUMN_NAME]) for p, rows in results.items()}

    def explain(self, predicate, *arguments, split='infer', **options):
        """Says why a target has its value after inference: the object of infer -explain, with value,
        and forces, of which each has the rule, its weight, the ground rule and force, its pull up
        or down, and rules, with the value without each (not in pslpython). The options are those
        of infer."""
        self._check_split(split)
        if deep.networks(self):
            raise ModelError('explain() knows no outputs of networks')
        name = predicate.name() if isinstance(predicate, Predicate) else Predicate.normalize_name(predicate)
        atom = '%s(%s)' % (name, ', '.join("'%s'" % a for a in arguments))
        _Run(self, (), options)(['--infer', '-explain', atom] + ([] if split == 'infer' else ['-partition', split]))
        found = self._summary['explain'][0]
        for entry in found['forces'] + found['rules']:
            entry['place'] = os.path.basename(entry['place'])  # rules.psl:LINE:COLUMN, a line a rule
        return found

    @staticmethod
    def _check_split(split):
        if split not in Predicate.SPLITS:
            raise ModelError('split %r is none of %s' % (split, ', '.join(Predicate.SPLITS)))

    def learn(self, method='', *args, **options):
        """Learns the weights of the rules from the split learn and gives them to the rules. With
        DeepPredicates, the networks learn by their internal_fit: see hinge.deep.learn for the
        methods and for the options of such a learning. The other arguments are those of infer."""
        deep_options = {name: options.pop(name) for name in list(options) if name not in _Run.NAMES}
        run = _Run(self, args, options)
        networks = deep.networks(self)
        if networks:
            run.only_options('learn')
            weighted = [rule for rule in self._rules if rule.weighted()]
            self._summary = deep.learn(self, networks, method or 'Energy', run.options, self._logger(run.logger), **deep_options)
            if deep_options.get('weight_step'):
                learned = self._summary['rules']
                if len(weighted) != len(learned):
                    raise ModelError('%d rules have become %d: their weights cannot be given back' % (len(weighted), len(learned)))
                for rule, (_, weight) in zip(weighted, learned):
                    rule.set_weight(weight)
            return self
        if deep_options:
            raise ModelError('learn() has no options %s where there is no DeepPredicate' % ', '.join(sorted(deep_options)))
        if method:
            program.check('the method of learn()', method, program.LEARNERS, ModelError)

        def learned(folder):
            # The file has the lines of ours, with other weights, and before them comments: its ε and thresholds.
            with open(os.path.join(folder, 'learned', 'rules.psl'), encoding='utf-8') as file:
                lines = file.read().split('\n')
            self._thresholds = [line for line in lines if line.startswith('# threshold of ')] or self._thresholds
            for rule, line in zip(self._rules, [line for line in lines if not line.startswith('#')]):
                if rule.weighted():
                    rule.set_weight(Rule(line).weight())

        run(['--learn'] + ([method] if method else []) + ['-output', 'learned'], learned)
        return self

    def ground(self, *args, **options):
        """Grounds the rules of the split infer and solves them. Returns {'atoms': {id: {'predicate',
        'arguments', 'value', 'observed'}}, 'groundRules': [...]}: a ground rule has ruleIndex,
        weight (-1 for a hard rule), coefficients, atoms (their ids), operator and constant, and
        asks for coefficients times atoms to stand in that relation to the constant. Observed atoms
        are part of the constant; a weighted equation is two ground rules."""
        run, rules = _Run(self, args, options), []
        if deep.networks(self):
            raise ModelError('ground() knows no outputs of networks')

        def read(folder):
            with open(os.path.join(folder, 'ground.jsonl'), encoding='utf-8') as file:
                rules.extend(json.loads(line) for line in file)

        run(['--infer', '-groundrules', 'ground.jsonl'], read)
        atoms = [(a['predicate'], a['arguments'], a['value'], False) for a in self._summary.get('atoms', [])]
        for p in self._predicates.values():
            atoms += [(p.name(), [str(v) for v in row[:-1]], row[-1], True) for row in p.rows(Partition.OBSERVATIONS, 'infer')]
        numbers = {(name, *arguments): str(i) for i, (name, arguments, _, observed) in enumerate(atoms) if not observed}
        return {
            'atoms': {str(i): dict(zip(('predicate', 'arguments', 'value', 'observed'), atom)) for i, atom in enumerate(atoms)},
            'groundRules': [{
                'ruleIndex': int(rule['place'].rsplit(':', 2)[1]) - 1, 'operator': rule['operator'],
                'weight': -1.0 if rule['weight'] is None else rule['weight'], 'constant': rule['constant'],
                'coefficients': rule['coefficients'], 'atoms': [int(numbers[(a['predicate'], *a['arguments'])]) for a in rule['atoms']],
            } for rule in rules],
        }

    @staticmethod
    def _logger(logger):
        if logger is None:
            logger = logging.getLogger('hinge')
            if not logger.hasHandlers():
                logging.basicConfig(format='%(message)s')
                logger.setLevel(logging.INFO)
        return logger

    def write(self, folder, transform=None):
        """Writes the model and its data as files for infer and train, and returns the path of
        the model file. transform, if any, takes and returns the model as one dict, with its
        options, rules and rows, as transform_config of pslpython does."""
        predicates = {}
        for p in self._predicates.values():
            entry = {'types': [t.value for t in p.types()]}
            if p._evaluators:
                entry['evaluations'] = p._evaluators
            if p.deep():
                entry['type'] = 'DeepPredicate'
            for partition in Partition:
                if p._closed and partition != Partition.OBSERVATIONS:
                    if partition == Partition.TARGETS and any(p.rows(partition, split) for split in Predicate.SPLITS):
                        raise ModelError('%s is closed and has targets: leave closed out, or the targets' % p.name())
                    continue
                files = {}
                for split in (None,) + Predicate.SPLITS:
                    rows = [list(row[:-1] if partition == Partition.TARGETS else row) for row in p.data(split)[partition]]
                    if rows:
                        files[split or 'all'] = rows if transform else [self._write_rows(folder, p, partition, split or 'all', rows)]
                if transform and list(files) == ['all']:
                    entry[partition.value] = files['all']
                elif files:
                    entry[partition.value] = files
            predicates[p.name() if transform else '%s/%d' % (p.name(), len(p))] = entry
        model = {'rules': [str(rule) for rule in self._rules], 'predicates': predicates}
        if transform:
            model = transform(dict(model, options=dict(self._options)))
        with open(os.path.join(folder, 'rules.psl'), 'w', encoding='utf-8') as file:
            file.writelines(line + '\n' for line in model['rules'] + self._thresholds)  # line n is rule n
        path = os.path.join(folder, 'model.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(dict(model, rules='rules.psl'), file, indent=2)
        return path

    @staticmethod
    def _write_rows(folder, p, partition, split, rows):
        name = '%s_%s_%s.txt' % (p.name(), partition.value, split)
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            for row in rows:
                fields = [str(v) for v in row]
                if any(c in field for field in fields for c in '\t\r\n'):
                    raise ModelError('%s: a constant of %r holds a tab or a line break' % (p.name(), row))
                file.write('\t'.join(fields) + '\n')
        return name


class _Run:
    """A run of the program infer for a model, with the arguments that pslpython takes for it."""

    # The order of the arguments after the method: of pslpython 2.4 where the first is a dict, else
    # of 2.2 and 2.3.
    NEW = ('psl_options', 'jvm_options', 'transform_config')
    OLD = ('additional_cli_options', 'psl_config', 'jvm_options', 'logger', 'temp_dir', 'cleanup_temp')
    NAMES = set(NEW + OLD)

    def __init__(self, model, args, options):
        order = _Run.NEW if args and isinstance(args[0], dict) else _Run.OLD
        if len(args) > len(order):
            raise ModelError('there are %d arguments after the method, want at most %d' % (len(args), len(order)))
        given = dict(options)
        for name, value in zip(order, args):
            if name in given:
                raise ModelError('%s is given twice' % name)
            given[name] = value
        unknown = sorted(set(given) - _Run.NAMES)
        if unknown:
            raise ModelError('there is no argument %s; there are %s' % (', '.join(unknown), ', '.join(sorted(_Run.NAMES))))
        self.model = model
        self.options = {**model.get_options(), **(given.get('psl_config') or {}), **(given.get('psl_options') or {})}
        self.flags = [str(o) for o in given.get('additional_cli_options') or ()]
        self.transform = given.get('transform_config')
        self.logger = given.get('logger')
        self.temp_dir, self.cleanup = given.get('temp_dir'), given.get('cleanup_temp', True)

    def only_options(self, call, method=''):
        """Refuses what a model with DeepPredicates does not take."""
        if method or self.flags or self.transform:
            raise ModelError('with DeepPredicates %s() takes no method of inference, additional_cli_options or transform_config' % call)

    def __call__(self, flags, then=None):
        """Runs infer in a folder of its own, keeps its summary, and calls then with the folder."""
        if not self.model.get_rules():
            raise ModelError('the model has no rules')
        logger = Model._logger(self.logger)
        if self.temp_dir is not None:
            os.makedirs(self.temp_dir, exist_ok=True)
        folder = tempfile.mkdtemp(prefix='hinge-', dir=self.temp_dir)
        try:
            path = self.model.write(folder, self.transform)
            command = [program.find('infer', Model.INFER_PATH), '-json', '-config', path] + flags + self.flags
            if self.model._thresholds and '--infer' in flags:  # infer keeps those of -rules
                command += ['-rules', os.path.join(folder, 'rules.psl')]
            for key, value in self.options.items():
                command += ['-D', '%s=%s' % (key, str(value).lower() if isinstance(value, bool) else value)]
            code, out, said = program.call(command, folder, logger)
            if code != 0:
                raise ModelError('infer ended with the exit code %d:\n%s' % (code, said.strip()))
            try:
                self.model._summary = program.parse(out)
            except ValueError as error:
                raise ModelError('%s is not the program infer: it printed no JSON' % command[0]) from error
            if then:
                then(folder)
        finally:
            if self.cleanup:
                shutil.rmtree(folder)
