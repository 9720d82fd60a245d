"""Hinge from Python: models of rules with the interface of the reference system's package
pslpython, and networks of one's own that learn through them.

    from hinge import Model, Partition, Predicate, Rule

    model = Model('smokers')
    friends = Predicate('Friends', closed=True, size=2)
    smokes = Predicate('Smokes', closed=False, size=1)
    friends.add_data(Partition.OBSERVATIONS, [['ann', 'bob']])
    smokes.add_data(Partition.OBSERVATIONS, [['ann']]).add_data(Partition.TARGETS, [['bob']])
    model.add_predicate(friends).add_predicate(smokes)
    model.add_rule(Rule('2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2'))
    model.add_rule(Rule('1: !Smokes(A) ^2'))
    for predicate, rows in model.infer(frames=False).items():
        print(predicate.name(), rows)  # SMOKES [('bob', 0.6667)]

The work is done by the program infer, which comes with the wheel; elsewhere it is built by
`go build -o bin/ ./cmd/infer` and looked for in the path and in bin/ of the repository.
Model.INFER_PATH names another one. `python -m hinge` runs the commands.

Nothing beyond the standard library is needed for that. Data may be pandas' data frames, and
where pandas is installed results are data frames, as in pslpython, unless frames=False.
hinge.Program (numpy) and hinge.torch.Value (PyTorch) are V(w, g) with its gradients,
hinge.DeepPredicate is a predicate behind which a network is. hinge.Run applies what train learned.

Mistakes are PredicateError, RuleError and ModelError; the last has the words of infer.
What takes long says how far it is, every ten seconds, to the logger that is given to
infer() or learn(); without one to standard error, or as the program has set logging up;
with logger=False to nobody.
"""

from .deep import DeepModel, DeepPredicate, ModelFile
from .model import Model
from .pipe import Program
from .partition import Partition
from .predicate import Predicate, PredicateError
from .program import ModelError
from .rule import Rule, RuleError
from .run import Run

__all__ = ['DeepModel', 'DeepPredicate', 'Model', 'ModelError', 'ModelFile', 'Partition', 'Predicate', 'PredicateError', 'Program', 'Rule', 'RuleError', 'Run']
__version__ = '0.1.0'
