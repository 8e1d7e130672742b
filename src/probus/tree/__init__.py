"""Decision trees: grown on columns of any kind, with or without missing values, cut back, shown.

Read the room as the data travels: ``design`` (what a tree sees of a table), ``codes``, ``split``, ``grow``, ``prune``,
``flat`` (a grown tree), ``predict``, ``export``; the estimators are in ``classes``.
"""

from probus.tree.flat import Surrogates, Tree

__all__ = ["Surrogates", "Tree"]
