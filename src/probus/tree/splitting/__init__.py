"""The best split: of a feature (``feature_search``), of a node (``node_search``), and its surrogates.

``scan`` tries the cuts of sorted values and ``cell_scan`` those of a ``histogram``: of an ordered column by its codes,
of a nominal one by the order of its levels, by ``class_levels``, or in every way (``gray_code``). ``random_split``
draws cuts, ``absolute_error`` has medians, ``thresholds`` the number between two values, and ``surrogate_search`` the
splits that agree most with another.
"""

from probus.tree.splitting._histogram import sort_by
from probus.tree.splitting._random_split import draw, stir
from probus.tree.splitting._thresholds import between
