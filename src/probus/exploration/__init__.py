"""What is in a table without a target: ``probus.explore``.

``usable_columns`` chooses columns and ``fair_distance`` compares rows of mixed kinds. ``group_search`` decides how many
groups there are, by comparison with ``groupless_tables``; ``row_groups`` describes them. ``row_map``, ``odd_rows`` and
``notable_rules`` are the other parts of an ``Exploration``, which ``exploration_page`` writes as one HTML file.
"""

from probus.borrowing import listing
from probus.exploration._exploration_result import Exploration
from probus.exploration._explore_table import explore
from probus.exploration._notable_rules import NotableRules
from probus.exploration._odd_rows import OddRow, OddRows
from probus.exploration._row_groups import Group, Groups
from probus.exploration._row_map import RowMap
from probus.exploration._usable_columns import LeftOut

__all__ = ["Exploration", "Group", "Groups", "LeftOut", "NotableRules", "OddRow", "OddRows", "RowMap", "explore"]

__dir__ = listing(globals())
