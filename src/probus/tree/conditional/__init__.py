"""Conditional inference trees: a column is chosen by a test of independence, then cut where the two sides differ most.

Exhaustive search prefers columns with many values, because they offer more cuts; a test does not (Hothorn, Hornik and
Zeileis 2006, Journal of Computational and Graphical Statistics 15, 651-674). Read on as a node does: ``statistic``
(how far the response and each column are from independent), ``pvalue`` and ``resample`` (how often chance goes as far),
``independence`` (the tests of all columns), ``cut`` (where to split the chosen one), ``surrogate`` (what else tells the
sides apart), ``grow``, ``flatten``, ``text``; the estimators are in ``classes``.
"""

from probus.tree.conditional.classes import ConditionalTreeClassifier, ConditionalTreeRegressor

__all__ = ["ConditionalTreeClassifier", "ConditionalTreeRegressor"]
