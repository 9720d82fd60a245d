"""Rules: weight and exponent apart from their text."""

import re

from .program import open_text


class RuleError(Exception):
    """A mistake in a rule, as far as it is looked at here."""


class Rule:
    """A rule: weight and exponent apart from its text."""

    _WEIGHT = re.compile(r'''^\s*([^\s:({'"]+)\s*:\s*''')
    _NUMBER = re.compile(r'[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?')
    _NEGATIVE = re.compile(r'^\s*-\s*[0-9.]+(?:[eE][-+]?[0-9]+)?\s*:')
    _HARD = re.compile(r'\s*\.\s*$')
    _FILTERS = re.compile(r'\s*((?:\{[^{}]*\}\s*)+)$')
    _EXPONENT = re.compile(r'\s*\^\s*([12])\s*$')
    # A constant in quotes, a comment, white space.
    _PARTS = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?:(?:#|//)[^\n]*|/\*.*?\*/|\s)+""", re.DOTALL)

    def __init__(self, rule_string, weighted=None, weight=None, squared=None):
        text = Rule._PARTS.sub(lambda part: part.group(1) or ' ', rule_string).strip()
        filters = Rule._FILTERS.search(text)
        self._filters = ' ' + filters.group(1).strip() if filters else ''
        text = text[:filters.start()] if filters else text
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
            if not Rule._NUMBER.fullmatch(match.group(1)):
                raise RuleError('the weight %s is no number such as 0.5 or 1e-3: %s' % (match.group(1), rule_string))
            given = float(match.group(1))
            if weight is not None and abs(given - weight) > 1e-9 * max(1, given):
                raise RuleError('the rule has another weight than the argument says: %s' % rule_string)
            text, weight = text[match.end():], given
        self._weighted = weighted if weighted is not None else True
        if self._weighted and weight is None:
            raise RuleError('the rule has neither a weight nor a full stop: %s' % rule_string)
        if not self._weighted and (weight is not None or squared):
            raise RuleError('a rule without a weight has neither weight nor exponent: %s' % rule_string)
        self._body, self._weight, self._squared = text.strip(), weight, bool(squared)

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
            return self._body + ' .' + self._filters
        weight = repr(float(self._weight)) if weight_places is None else '%.*f' % (weight_places, self._weight)
        return weight + ': ' + self._body + (' ^2' if self._squared else '') + self._filters

    def __str__(self):
        return self.to_string()

    __repr__ = __str__

    @staticmethod
    def load_from_file(path):
        """Reads rules, one a line; # and // begin comments."""
        rules = []
        for number, line in enumerate(open_text(path, RuleError), 1):
            line = line.strip()
            if line and not line.startswith(('#', '//')):
                try:
                    rules.append(Rule(line))
                except RuleError as error:
                    raise RuleError('%s: line %d: %s' % (path, number, error)) from error
        return rules
