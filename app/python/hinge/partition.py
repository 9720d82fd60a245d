"""The parts of a predicate's data."""

import enum


class Partition(enum.Enum):
    """The part of a predicate's data that rows belong to."""

    OBSERVATIONS = 'observations'
    TARGETS = 'targets'
    TRUTH = 'truth'
