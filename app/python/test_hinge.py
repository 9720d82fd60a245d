"""Tests of the package hinge without PyTorch: python3 app/python/test_hinge.py, with infer in the path."""

import decimal
import fractions
import importlib.util
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from hinge import Model, ModelError, Partition, Predicate, PredicateError, Rule, RuleError, Run
from hinge import program as programs


def town():
    """Ann smokes; are her friends like her? Truth says so."""
    friends = Predicate('Friends', closed=True, size=2)
    friends.add_data(Partition.OBSERVATIONS, [['ann', 'bob'], ['bob', 'cleo', 0.5]])
    smokes = Predicate('Smokes', closed=False, arg_types=[Predicate.ArgType.UNIQUE_STRING_ID])
    smokes.add_data_row(Partition.OBSERVATIONS, ['ann'])
    smokes.add_data(Partition.TARGETS, [['bob'], ['cleo']]).add_data(Partition.TRUTH, [['bob', 1], ['cleo', 1.0]])
    smokes.add_evaluator('DiscreteEvaluator', primary=True)
    model = Model('town').add_predicate(friends).add_predicate(smokes)
    model.add_rule(Rule('2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2'))
    model.add_rule('Smokes(A) >= 0.05 .')
    return model.add_rule(Rule('!Smokes(A)', weight=1, squared=True))


@unittest.skipUnless('train' in programs.commands(), 'needs the program train')
class RunTest(unittest.TestCase):
    MODEL = '''{
        "rules": ["1: Pair(P, A, B) & Adds(X, Y, Z) & Digit(A, X) & Digit(B, Y) -> Sum(P, Z) ^2", "Sum(P, +Z) = 1 ."],
        "predicates": {
            "Pair/3": {"observations": [[1, 2, 3]]},
            "Adds/3": {"observations": [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 2]]},
            "Digit/2": {"network": {"model": "mlp", "features": "things.txt", "classes": 2}, "targets": [[2, 0], [2, 1], [3, 0], [3, 1]],
                "truth": [[2, 0], [3, 1]]},
            "Sum/2": {"targets": [[1, 0], [1, 1], [1, 2]], "truth": [[1, 1]], "evaluations": ["CategoricalEvaluator"]}
        }
    }'''

    def test_predict(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                    file.write(text)
                return os.path.join(folder, name)
            model = write('model.json', self.MODEL)
            write('things.txt', '2\t1\t0\n3\t0\t1\n4\t1\t0\n')
            out = os.path.join(folder, 'run')
            subprocess.run([programs.find('train'), '-model', model, '-loss', 'sp', '-freeze-rules', '-set', 'options.rules-weight=0', '-set', 'neural.learning-rate=0.1', '-steps', '200', '-quiet', '-out', out],
                           check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            run = Run(out)
            answer = run.predict(Pair=[['p', 4, 'new'], ['q', 'new', 'new']], files=['Digit=' + write('new.txt', 'new\t0\t1\n')])
            values = {a['atom']: a['value'] for a in answer['atoms']}
            # 4 is a 0 as 2 is, new a 1 as 3 is: 0 + 1 = 1, 1 + 1 = 2.
            self.assertEqual(sorted(values), ['Sum(%s,%d)' % (p, z) for p in 'pq' for z in (0, 1, 2)])
            self.assertEqual([max((0, 1, 2), key=lambda z: values['Sum(%s,%d)' % (p, z)]) for p in 'pq'], [1, 2])
            for bad, error, text in [({'Pair': [['p', 4, 'x']]}, ModelError, 'row 1: x has no features'), ({'Pair': 'p'}, PredicateError, 'want rows'),
                                     ({'Pair': ['p43']}, PredicateError, "row 1 is 'p43', want a list of arguments"), ({'Pair': [{'P': 'p', 'A': 4, 'B': 3}]}, PredicateError, 'row 1 is {.*, want a list'),
                                     ({'Pair': [['p', 4, 'a\tb']]}, ModelError, 'holds a tab'), ({'Pair': [['p', 4, 'b '], ['p', 4, None]]}, PredicateError, "row 1: the constant 'b '"), ({'Pair': [], 'Sum': []}, ModelError, 'Pair and of Sum'),
                                     ({}, ModelError, 'give a list of paths, or rows'), ({'files': 'new.txt'}, ModelError, "files are 'new.txt'; give a list"), ({'files': pathlib.Path('new.txt')}, ModelError, 'give a list of paths')]:
                with self.assertRaisesRegex(error, text):
                    run.predict(**bad)
            with tempfile.TemporaryDirectory() as elsewhere:  # the folder of the run names another one's model
                config = os.path.join(out, 'config.toml')
                with open(config, encoding='utf-8') as file:
                    text = file.read()
                with open(config, 'w', encoding='utf-8') as file:
                    file.write(text.replace(model, 'model.json'))
                before = os.getcwd()
                os.chdir(elsewhere)
                try:
                    with self.assertRaisesRegex(ModelError, 'give the whole path'):
                        run.predict(Pair=[['p', 4, 3]])
                    again = Run(out, model=model).predict(Pair=[['p', 4, 3]])
                    self.assertEqual(len(again['atoms']), 3)
                finally:
                    os.chdir(before)


class ModelTest(unittest.TestCase):
    def test_infer(self):
        model = town()
        results = model.infer(psl_config={'inference.normalize': False, 'runtime.log.level': 'DEBUG'}, logger=False, frames=False)
        smokes = model.get_predicate('smokes')
        self.assertEqual(list(results), [smokes])
        rows = dict(results[smokes])
        # 2(1 - b)² + 2max(0, b + ½ - 1 - c)² + b² + c² at b = 2/3 + ..., c = ...
        b, c = rows['bob'], rows['cleo']
        self.assertAlmostEqual(2 * (1 - b) - 2 * max(0, b - 0.5 - c) - b, 0, places=5)
        self.assertAlmostEqual(2 * max(0, b - 0.5 - c) - c, 0, places=5)
        self.assertIn('accuracy', model.summary()['metrics']['SMOKES']['Discrete'])
        again = dict(model.infer('ADMMInference', logger=False, frames=False)[smokes])
        self.assertAlmostEqual(again['bob'], b, places=1)

    def test_learn(self):
        for method in ['', 'Energy', 'SquaredError']:
            model = town()
            self.assertIs(model.learn(method, psl_config={'gradientdescent.numsteps': 50}, logger=False), model)
            first, hard, last = model.get_rules()
            self.assertGreaterEqual(first.weight(), last.weight(), method)
            self.assertIsNone(hard.weight())
            self.assertEqual(str(hard), 'Smokes(A) >= 0.05 .')
        self.assertGreater(dict(model.infer(logger=False, frames=False)[model.get_predicate('SMOKES')])['bob'], 0.5)

    def test_threshold(self):
        model = town()
        smokes = model.get_predicate('Smokes')
        for split in 'learn', 'validation':
            smokes.add_data(Partition.TARGETS, [['v1'], ['v2']], split)
            smokes.add_data(Partition.TRUTH, [['v1', 1], ['v2', 0.1]], split)
        model.infer(logger=False, frames=False)
        self.assertLess(model.summary()['metrics']['SMOKES']['Discrete']['accuracy'], 1)
        model.learn(additional_cli_options=['-threshold', '0.01'], logger=False)
        self.assertEqual([rule.weighted() for rule in model.get_rules()], [True, False, True])
        # The places of the rules are the same with a threshold: 0 and 2 have weights, 1 has none.
        self.assertEqual({(rule['ruleIndex'], rule['weight'] < 0) for rule in model.ground(logger=False)['groundRules']}, {(0, False), (1, True), (2, False)})
        self.assertEqual({(f['rule'][:4], f['place']) for f in model.explain('Smokes', 'bob', logger=False)['forces']},
                         {(str(model.get_rules()[i])[:4], 'rules.psl:%d:1' % (i + 1)) for i in (0, 2)})
        model.infer(logger=False, frames=False)
        self.assertEqual(model.summary()['metrics']['SMOKES']['Discrete']['accuracy'], 1)  # both truths are 1

    def test_newer_interface(self):
        # The classes as pslpython 2.4.1 has them; values by hand: (1 - o) of each square.
        from hinge.model import Model
        from hinge.partition import Partition
        from hinge.predicate import Predicate
        from hinge.rule import Rule

        def small(*rules):
            seen, asked = Predicate('Obs', 1), Predicate('A', None, [Predicate.ArgType.UNIQUE_STRING_ID], ['ContinuousEvaluator'])
            seen.add_observed_data([['x', .7], ['y', .2]])
            asked.add_target_data([['x'], ['y']])
            asked.add_truth_data([['x', .6], ['y', .1]])
            self.assertEqual((seen.closed(), asked.closed()), (True, False))
            model = Model('m').add_predicate(seen).add_predicate(asked)
            model.add_options({'runtime.log.level': 'OFF', 'inference.normalize': False})
            for rule in rules:
                model.add_rule(Rule(rule))
            return model, asked

        two = ('1: Obs(X) -> A(X) ^2', '1: !A(X) ^2')
        model, asked = small(*two)
        for given in [{'psl_options': {'inference.normalize': False}, 'jvm_options': ['-Xmx1G']},
                      {'transform_config': lambda config: dict(config, rules=config['rules'][:1] + ['1.0: !A(X) ^2'])}]:
            rows = dict(model.infer(frames=False, **given)[asked])
            self.assertAlmostEqual(rows['x'], .35, places=5)
            self.assertAlmostEqual(rows['y'], .1, places=5)
        self.assertEqual(model.infer('', {'inference.normalize': False}, frames=False).keys(), {asked})
        self.assertIn('Continuous', model.summary()['metrics']['A'])
        with self.assertRaises(ModelError):
            model.infer(psl_option={})
        model.learn(psl_options={'gradientdescent.numsteps': 20})
        self.assertNotEqual([rule.weight() for rule in model.get_rules()], [1, 1])

        model, asked = small(two[0], 'Obs(X) = A(X) .')
        ground = model.ground()
        atoms, rules = ground['atoms'], ground['groundRules']
        self.assertEqual(sorted((a['predicate'], *a['arguments'], a['observed']) for a in atoms.values()),
                         [('A', 'x', False), ('A', 'y', False), ('OBS', 'x', True), ('OBS', 'y', True)])
        self.assertEqual(sorted((r['ruleIndex'], r['weight'], r['operator']) for r in rules), [(0, 1, '<=')] * 2 + [(1, -1, '=')] * 2)
        for rule in rules:  # each holds at Obs = A
            left = sum(c * atoms[str(a)]['value'] for c, a in zip(rule['coefficients'], rule['atoms']))
            self.assertAlmostEqual(left, rule['constant'], places=5)

    def test_rule_with_filter(self):
        rule = Rule('B(X, +K) = D(X) . {K: C(K)}')
        self.assertEqual((str(rule), rule.weighted()), ('B(X, +K) = D(X) . {K: C(K)}', False))
        self.assertEqual(str(Rule('2: B(X, +K) = D(X) ^2 {K: C(K)}')), '2.0: B(X, +K) = D(X) ^2 {K: C(K)}')
        b, c, d = Predicate('B', closed=True, size=2), Predicate('C', closed=True, size=1), Predicate('D', closed=False, size=1)
        b.add_data(Partition.OBSERVATIONS, [['x', 'p', .5], ['x', 'q', .3]])
        c.add_data(Partition.OBSERVATIONS, [['p']])
        d.add_data(Partition.TARGETS, [['x']])
        model = Model().add_predicate(b).add_predicate(c).add_predicate(d).add_rule(rule)
        self.assertAlmostEqual(dict(model.infer(logger=False, frames=False)[d])['x'], .5, places=6)  # B(x, p) alone

    def test_types_and_files(self):
        item = Predicate('Item', closed=True, arg_types=[Predicate.ArgType.UNIQUE_INT_ID, Predicate.ArgType.DOUBLE])
        good = Predicate('Good', closed=False, arg_types=[Predicate.ArgType.UNIQUE_INT_ID])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'items.csv')
            with open(path, 'w', encoding='utf-8') as file:
                file.write('id,size,truth\n7,1.5,0.8\n 8 ,2.5,0.2\n')
            item.add_data_file(Partition.OBSERVATIONS, path, has_header=True, delim=',')
        self.assertEqual(item.data()[Partition.OBSERVATIONS], [(7, 1.5, 0.8), (8, 2.5, 0.2)])
        good.add_data(Partition.TARGETS, [[7], [8]])
        model = Model().add_predicate(item).add_predicate(good).add_rule('1: Item(A, B) -> Good(A) ^2').add_rule('0.001: !Good(A) ^2')
        rows = model.infer(logger=False, frames=False)[good]
        self.assertEqual([r[0] for r in rows], [7, 8])
        self.assertAlmostEqual(rows[0][1], 0.8, places=2)

    def test_line_separator(self):
        # A constant may hold what Unicode counts as the end of a line.
        learned = [
            [rule.weight() for rule in town().add_rule("1: Friends(A, '%s') -> Smokes(A)" % name).add_rule('7: !Smokes(A)').learn(logger=False).get_rules() if rule.weighted()]
            for name in ('de', 'd\u2028e')
        ]
        self.assertEqual(*learned)

    def test_splits(self):
        # What is for learning alone is learned from and not inferred.
        model = Model()
        likes = Predicate('Likes', closed=False, size=1)
        hint = Predicate('Hint', closed=True, size=1)
        for split, people in [('learn', ['ann', 'bob']), ('infer', ['cleo']), ('validation', ['dan'])]:
            likes.add_data(Partition.TARGETS, [[p] for p in people], split=split)
            hint.add_data(Partition.OBSERVATIONS, [[p, 0.8] for p in people], split)
        likes.add_data(Partition.TRUTH, [['ann', 1], ['bob', 1]], 'learn')
        model.add_predicate(likes).add_predicate(hint).add_rule('1: Hint(A) -> Likes(A) ^2').add_rule('1: !Likes(A) ^2')
        model.learn('mse', logger=False)
        first, last = model.get_rules()
        self.assertGreater(first.weight(), last.weight())
        self.assertEqual([r[0] for r in model.infer(logger=False, frames=False)[likes]], ['cleo'])
        self.assertEqual([r[0] for r in model.infer(logger=False, frames=False, split='validation')[likes]], ['dan'])
        with self.assertRaisesRegex(ModelError, 'none of learn, validation, infer'):
            model.infer(split='test')
        with self.assertRaisesRegex(ModelError, r"^the method of infer\(\) is 'ADMMInferense', want one of ADMMInference, "):
            model.infer('ADMMInferense')
        with self.assertRaisesRegex(ModelError, r"^the method of learn\(\) is 'Enrgy', want one of BinaryCrossEntropy, "):
            model.learn('Enrgy')
        with self.assertRaisesRegex(PredicateError, "^SMOKES: the evaluator is 'CategoricalEvaluatr', want one of CategoricalEvaluator, "):
            Predicate('Smokes', size=1).add_evaluator('CategoricalEvaluatr')
        with self.assertRaisesRegex(PredicateError, "the evaluator is 'F1'"):
            Predicate('Smokes', size=1, evaluations=[{'evaluator': 'F1'}])
        with self.assertRaisesRegex(ModelError, 'no options epochs'):
            model.learn(epochs=3)
        for name in ('Likes/2', 'Größe', 'has part', '2nd', ''):
            with self.assertRaisesRegex(PredicateError, '%r is no name for a predicate' % name):
                Predicate(name, size=2)
        with self.assertRaisesRegex(PredicateError, 'split'):
            likes.add_data(Partition.TRUTH, [], 'learned')

    @unittest.skipUnless(importlib.util.find_spec('pandas'), 'pandas is not installed')
    def test_frames(self):
        import pandas
        model = town()
        age = Predicate('Age', closed=True, arg_types=[Predicate.ArgType.UNIQUE_STRING_ID, Predicate.ArgType.INT])
        # Integers stay integers beside columns of real numbers.
        age.add_data(Partition.OBSERVATIONS, pandas.DataFrame({'who': [7, 8], 'age': [30, 40], 'truth': [0.5, 1.0]}))
        self.assertEqual(age.data()[Partition.OBSERVATIONS], [('7', 30, 0.5), ('8', 40, 1.0)])
        with self.assertRaisesRegex(PredicateError, 'row 2: a value is missing'):
            age.add_data(Partition.OBSERVATIONS, pandas.DataFrame({'who': ['a', None], 'age': [30, 40]}))
        for who, truth in [(pandas.NA, 1.0), ('a', pandas.NA), ('a', None), ('a', float('nan')), (pandas.NaT, 1.0)]:
            with self.assertRaisesRegex(PredicateError, 'row 1: a value is missing: fill it in'):
                age.add_data(Partition.OBSERVATIONS, [[who, 30, truth]])
        smokes = model.get_predicate('Smokes')
        frame = model.infer(logger=False)[smokes]
        self.assertEqual(list(frame.columns), [0, 'truth'])
        self.assertEqual(list(frame.itertuples(index=False, name=None)), model.infer(logger=False, frames=False)[smokes])
        model.get_predicate('Friends').clear_data().add_data(Partition.OBSERVATIONS, frame.assign(other='dan')[[0, 'other', 'truth']])

    @unittest.skipUnless(importlib.util.find_spec('polars'), 'polars is not installed')
    def test_polars(self):
        # Iterating such a frame gives columns: a square one would be taken turned round.
        import polars
        friends = Predicate('Friends', closed=True, size=2)
        friends.add_data(Partition.OBSERVATIONS, polars.DataFrame({'a': ['ann', 'bob'], 'b': ['cleo', 'dan']}))
        self.assertEqual(friends.data()[Partition.OBSERVATIONS], [('ann', 'cleo', 1.0), ('bob', 'dan', 1.0)])
        model = town()
        smokes = model.get_predicate('Smokes')
        frame = model.infer(logger=False, frames='polars')[smokes]
        self.assertEqual(frame.columns, ['0', 'truth'])
        self.assertEqual(frame.rows(), model.infer(logger=False, frames=False)[smokes])
        # Of a hundred values 0 polars takes a column for one of integers, in which 0.5 is 0.
        seen = Predicate('Seen', closed=True, size=1).add_data(Partition.OBSERVATIONS, [[i, 0.5 * (i > 119)] for i in range(121)])
        told = Predicate('Told', closed=False, size=1).add_data(Partition.TARGETS, [[i] for i in range(121)])
        frame = Model('zeros').add_predicate(seen).add_predicate(told).add_rule('2: Seen(X) = Told(X)').infer(logger=False, frames='polars')[told]
        self.assertEqual(frame.schema['truth'], polars.Float64)
        self.assertAlmostEqual(dict(frame.rows())['120'], 0.5, places=6)
        self.assertIs(type(programs.parse('{"atoms": [{"value": 0}]}')['atoms'][0]['value']), float)

    def test_no_rows(self):
        friends = Predicate('Friends', closed=True, size=2)
        for data, want in (({'ab': [1]}, 'data are a dict'), ('ab', 'data are a str'), (['ab'], "row 1 is 'ab', want a list of"), ([0.5], 'row 1 is 0.5, want a list of'),
                           ([{'who': 'ann', 'whom': 'bob'}], "row 1 is {'who': 'ann', 'whom': 'bob'}, want a list of 2"), ([{'ann', 'bob'}], 'row 1 is {.*, want a list of'), (7, 'data are a int')):
            with self.assertRaisesRegex(PredicateError, want):
                friends.add_data(Partition.OBSERVATIONS, data)
        with self.assertRaisesRegex(PredicateError, 'want a list of 1 argument$'):
            Predicate('Smokes', closed=True, size=1).add_data(Partition.OBSERVATIONS, ['ann'])
        with self.assertRaisesRegex(ModelError, "frames is 'lists'"):
            town().infer(logger=False, frames='lists')

    def test_explain(self):
        model = town()
        smokes = model.get_predicate('Smokes')
        why = model.explain('Smokes', 'bob', logger=False)
        self.assertAlmostEqual(why['value'], dict(model.infer(logger=False, frames=False)[smokes])['bob'], places=6)
        # At the optimum the pulls on a target between its bounds cancel, but for that of epsilon.
        self.assertAlmostEqual(why['up'], -why['down'], places=2)
        self.assertAlmostEqual(sum(f['force'] for f in why['forces'] if f['force'] > 0), why['up'], places=9)
        self.assertEqual(why, model.explain(smokes, 'bob', logger=False))
        with self.assertRaisesRegex(ModelError, 'is no target'):
            model.explain('Smokes', 'nobody', logger=False)

    @unittest.skipUnless(importlib.util.find_spec('nbclient') and importlib.util.find_spec('pandas'), 'needs nbclient and pandas')
    def test_notebook(self):
        import nbclient
        import nbformat
        here = os.path.dirname(os.path.abspath(__file__))
        with mock.patch.dict(os.environ, PYTHONPATH=here):
            book = nbformat.read(os.path.join(here, 'examples', 'votes.ipynb'), as_version=4)
            nbclient.NotebookClient(book, kernel_name='python3').execute()
        said = [o.get('text') or o['data']['text/plain'] for c in book.cells if c.cell_type == 'code' for o in c.outputs]
        # At equal weights (1 - b) = (b - d) + b and b - d = d for bob and dan, 1/2 - c = c for cleo.
        self.assertEqual(said[0].split()[2:], ['0', 'bob', '0.40', '1', 'cleo', '0.25', '2', 'dan', '0.20'])
        weights = [float(line.partition(':')[0]) for line in said[1].split('\n') if line]
        self.assertGreater(weights[0], 0.7)  # the truth is nearer to what friends do
        self.assertIn('VOTES(dan)', said[2])

    @unittest.skipUnless(os.environ.get('HINGE_CASES') and importlib.util.find_spec('pandas'), 'needs HINGE_CASES and pandas')
    def test_program_of_pslpython(self):
        # What a program for pslpython 2.4.1 printed there; errors have our own names.
        folder = os.path.join(os.environ['HINGE_CASES'], 'psl')
        env = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))
        done = subprocess.run([sys.executable, os.path.join(folder, 'program.py'), 'hinge'], env=env, encoding='utf-8', stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)

        def lines(text):
            return [line.partition(' error ')[:2] for line in text.splitlines()]

        with open(os.path.join(folder, 'expected.txt'), encoding='utf-8') as expected:
            self.assertEqual(lines(done.stdout), lines(expected.read()))

    def test_commands(self):
        env = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))

        def run(*args):
            return subprocess.run([sys.executable, '-m', 'hinge', *args], env=env, encoding='utf-8', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

        done = run('infer', '-model', 'none.json')
        self.assertEqual(done.returncode, 2)
        self.assertIn('none.json', done.stdout)
        for args in [(), ('guess',)]:
            done = run(*args)
            self.assertEqual(done.returncode, 2)
            self.assertIn('commands: infer', done.stdout)

    def test_quotes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'films.txt')

            def rows(text, delim, encoding='utf-8'):
                with open(path, 'w', encoding=encoding) as file:
                    file.write(text)
                likes = Predicate('Likes', closed=True, size=2)
                return likes.add_data_file(Partition.OBSERVATIONS, path, delim=delim).data()[Partition.OBSERVATIONS]

            self.assertEqual(rows('"user, the ""first""",film,0.5\nb,"the film"\n', ','), [('user, the "first"', 'film', 0.5), ('b', 'the film', 1.0)])
            self.assertEqual(rows('"a"\t5" disc\n', '\t'), [('"a"', '5" disc', 1.0)])
            self.assertEqual(rows('\ufeff"a",b,0.5\n', ','), [('a', 'b', 0.5)])
            self.assertEqual(rows('a\tb\n \n', '\t'), [('a', 'b', 1.0)])
            for text, want in (('a,b\n"a" b,c\n', 'films.txt: line 2: '), ('a,b\n\nc,d,x\n', 'films.txt: LIKES: line 3: '), (b'a,b\n\xe9,c\n'.decode('latin-1'), 'line 2 is not UTF-8')):
                with self.assertRaisesRegex(PredicateError, want):
                    rows(text, ',', 'latin-1')
            with open(path, 'w', encoding='utf-8') as file:
                file.write('a\n \n""\n')
            with self.assertRaisesRegex(PredicateError, 'line 3: a constant is empty'):
                Predicate('Known', closed=True, size=1).add_data_file(Partition.OBSERVATIONS, path, delim=',')

    def test_rules_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'rules.psl')
            for text, want in ((b'\xef\xbb\xbf1: A(X) -> B(X)\n', None), (b'\n2: A(X) -> B(X)\nA(X)\n', 'rules.psl: line 3: the rule has neither'), (b'1: A(X)\n# \xe9\n', 'rules.psl: line 2 is not UTF-8')):
                with open(path, 'wb') as file:
                    file.write(text)
                if want:
                    with self.assertRaisesRegex(RuleError, want):
                        Rule.load_from_file(path)
                else:
                    self.assertEqual([str(rule) for rule in Rule.load_from_file(path)], ['1.0: A(X) -> B(X)'])

    def test_program(self):
        class Lines(logging.Handler):
            def emit(self, record):
                lines.append((time.monotonic(), record.getMessage()))

        def program(text, mode=0o755):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            os.chmod(path, mode)

        lines, logger = [], logging.Logger('test')
        logger.addHandler(Lines())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'infer')
            Model.INFER_PATH = path
            try:
                for words, text, mode in [
                    ('Model.INFER_PATH is', None, 0), ('Model.INFER_PATH is', '#!/bin/sh', 0o644),
                    ('cannot be run', '#!/no/such/program\n', 0o755), ('printed no JSON', '#!/bin/sh\necho hello\n', 0o755),
                ]:
                    if text is not None:
                        program(text, mode)
                    with self.assertRaisesRegex(ModelError, words):
                        town().infer(logger=False, frames=False)
                # What it says is passed on while it runs.
                program('#!/bin/sh\necho begun >&2\nsleep 1\necho ended >&2\necho {}\n')
                town().infer(logger=logger)
                # An exception, such as one of a time limit, is not held up until it ends.
                ended = os.path.join(folder, 'ended')
                program('#!/bin/sh\necho begun >&2\nsleep 1\ntouch %s\n' % ended)
                with mock.patch.object(logger, 'info', side_effect=TimeoutError), self.assertRaises(TimeoutError):
                    town().infer(logger=logger)
                self.assertFalse(os.path.exists(ended))
            finally:
                Model.INFER_PATH = None
        self.assertEqual([text for _, text in lines], ['begun', 'ended'])
        self.assertGreater(lines[1][0] - lines[0][0], 0.5)

    def test_infer_path(self):
        # In a repository like this one, with infer in bin/ and not in the path.
        root = os.path.normpath(os.path.join(programs.REPOSITORY_BIN, '..'))
        # The bin/ that is looked in is that beside go.mod, unless this is an installed package.
        self.assertTrue(os.path.exists(os.path.join(root, 'go.mod')) or os.path.exists(programs.PACKAGE_BIN), root)
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'bin', 'infer')
            os.mkdir(os.path.dirname(program))
            with open(program, 'w', encoding='utf-8') as file:
                file.write('#!/bin/sh\n')
            os.chmod(program, 0o755)
            built = os.path.join(folder, 'bin')
            with mock.patch.dict(os.environ, PATH=folder), mock.patch('hinge.program.REPOSITORY_BIN', built), \
                    mock.patch('hinge.program.PACKAGE_BIN', folder + '/none'):
                self.assertEqual(programs.find('infer'), program)

    def test_minus_first(self):
        # pslpython 2.4.1 gives 0.30 and 0.25.
        near, limit = Predicate('B', size=1), Predicate('A', size=1).add_data(Partition.TARGETS, [['x'], ['y']])
        near.add_data(Partition.OBSERVATIONS, [['x', 0.5], ['y', 0.25]])
        model = Model().add_predicate(near).add_predicate(limit).add_rule('1: A(X) - B(X) = 0.0').add_rule('-1 * A(X) >= -0.3 .')
        rows = model.infer(logger=False, frames=False)[limit]
        self.assertEqual([(row[0], round(row[1], 6)) for row in rows], [('x', 0.3), ('y', 0.25)])

    def test_mistakes(self):
        with self.assertRaisesRegex(ModelError, 'no rules'):
            Model().infer()
        with self.assertRaisesRegex(ModelError, 'exit code 2:\n.*the variable B is not bound'):
            town().add_rule('1: Smokes(A) -> Smokes(B)').infer(logger=False, frames=False)
        with self.assertRaisesRegex(ModelError, 'two predicates SMOKES'):
            town().add_predicate(Predicate('smokes', False, size=1))
        with self.assertRaisesRegex(ModelError, 'tab or a line break'):
            model = town()
            model.get_predicate('Smokes').add_data(Partition.TARGETS, [['a\tb']])
            model.infer(logger=False, frames=False)
        with self.assertRaisesRegex(ModelError, 'FRIENDS is closed and has targets'):
            model = town()
            model.get_predicate('Friends').add_data(Partition.TARGETS, [['ann', 'cleo']], 'learn')
            model.infer(logger=False, frames=False)

        def integers(rows):
            return Predicate('P', True, size=1, arg_types=[Predicate.ArgType.INT]).add_data(Partition.OBSERVATIONS, rows)

        self.assertEqual([row[0] for row in integers([[2.0, 1], [decimal.Decimal(3), 1], ['4', 1], [True, 1]]).data()[Partition.OBSERVATIONS]], [2, 3, 4, 1])
        for make, words in [
            (lambda: Predicate('P', True), 'give a size'),
            (lambda: Predicate('P', True, size=0), 'want 1 or more'),
            (lambda: Predicate('P', True, size=2, arg_types=[Predicate.ArgType.STRING]), 'there are 1 types'),
            (lambda: Predicate('P', True, arg_types=['String']), 'no Predicate.ArgType'),
            (lambda: Predicate('P', True, size=1).add_data('targets', []), 'no Partition'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TARGETS, [['a'], ['a', 1, 2]]), 'row 2 has 3 fields'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TRUTH, [['a', 'x']]), 'row 1'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.OBSERVATIONS, [['a', 1.5]]), 'not in'),
            (lambda: Predicate('P', True, size=1, deep=True), 'closed has to be False'),
            (lambda: integers([[decimal.Decimal('1.7'), 1]]), 'is no integer'), (lambda: integers([[float('inf'), 1]]), 'is no integer'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TARGETS, [['a'], [' a']]), "row 2: the constant ' a' begins or ends with white space"),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TARGETS, [['a\u00a0']]), 'begins or ends with white space'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TARGETS, [['a\ud83d']]), 'half of a surrogate pair'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TARGETS, [['\ufeffa']]), 'begins with a byte order mark'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TARGETS, [['a'], ['']]), 'row 2: a constant is empty'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TARGETS, [[b'a']]), 'row 1: .* is a bytes, want a text'),
            (lambda: Predicate('P', True, size=1).add_data(Partition.TARGETS, [[['a']]]), 'is a list, want a text'),
            (lambda: integers([['1_000', 1]]), "row 1: '1_000' is no number"), (lambda: integers([['1', '0_1']]), "'0_1' is no number"), (lambda: integers([['\u0661', 1]]), 'digits 0 to 9'),
            (lambda: Predicate('P', arg_types=[Predicate.ArgType.DOUBLE]).add_data(Partition.TARGETS, [['1_0.5']]), "'1_0.5' is no number"),
            (lambda: integers([]).add_data_file(Partition.TARGETS, 'none.txt'), 'none.txt cannot be read: No such file'),
            (lambda: integers([['1.5', 1]]), 'row 1'), (lambda: integers([[fractions.Fraction(3, 2), 1]]), 'is no integer'),
        ]:
            with self.assertRaisesRegex(PredicateError, words):
                make()


class RuleTest(unittest.TestCase):
    def test_text(self):
        for text, want in {
            '1.0: A(X) -> B(X)': '1.0: A(X) -> B(X)', ' 2e-1 : A(X)  ->\n B(X)^2 ': '0.2: A(X) -> B(X) ^2', 'A(X) = 1 .': 'A(X) = 1 .', 'A(X) -> B(X).': 'A(X) -> B(X) .', 'A(X) <= 1.': 'A(X) <= 1 .',
            'A(+X) <= 0.5. {X: B(X)}': 'A(+X) <= 0.5 . {X: B(X)}', '3: A(X) ^1': '3.0: A(X)',
            "1: A('a  b') -> B(\"New\u00a0York, '  '\")  ^2 # it's why": "1.0: A('a  b') -> B(\"New\u00a0York, '  '\") ^2",
            "2: A('#\\'  //')  /* one\n two */ -> B(X) // and\n ^2": "2.0: A('#\\'  //') -> B(X) ^2",
        }.items():
            self.assertEqual(str(Rule(text)), want)
        self.assertEqual(Rule('A(X)', weight=0.25, squared=True).to_string(1), '0.2: A(X) ^2')
        self.assertEqual(str(Rule('A(X) = 1', weighted=False)), 'A(X) = 1 .')
        self.assertEqual(str(Rule('1: A(X)').set_weight(5).set_squared(True)), '5.0: A(X) ^2')

    def test_mistakes(self):
        for make, words in [
            (lambda: Rule('A(X)'), 'neither a weight'), (lambda: Rule('-1: A(X)'), 'negative'), (lambda: Rule('A(X)', weight=-1), 'negative'),
            (lambda: Rule('.5: A(X)'), 'the weight .5 is no number'), (lambda: Rule('1.2.3: A(X)'), 'the weight 1.2.3 is no number'), (lambda: Rule('1.: A(X)', weight=1), 'the weight 1. is'),
            (lambda: Rule('1: A(X) .'), 'neither weight nor'), (lambda: Rule('A(X) ^2 .'), 'no exponent'), (lambda: Rule('A(X) .', weighted=True), 'has no weight'),
            (lambda: Rule('1: A(X)', weight=2), 'another weight'), (lambda: Rule('1: A(X) ^2', squared=False), 'another exponent'),
            (lambda: Rule('A(X) .').set_weight(1), 'takes none'), (lambda: Rule('A(X) .').set_squared(True), 'no exponent'),
        ]:
            with self.assertRaisesRegex(RuleError, words):
                make()


if __name__ == '__main__':
    unittest.main()
