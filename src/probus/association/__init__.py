"""Itemsets that occur together, and the rules between their items.

``baskets`` reads baskets from lists, Boolean frames, long tables and typed tables. ``itemsets`` finds the frequent
itemsets: all of them by a depth-first search over bitsets (``depth_first``) or level by level (``apriori``), the closed
and the maximal ones directly (``closed``). ``rules`` measures and tests the rules between them.
"""

from probus.association._baskets import Baskets
from probus.association._itemsets import Itemset, Itemsets, frequent_itemsets
from probus.association._rules import Rule, Rules, association_rules
from probus.borrowing import listing

__all__ = ["Baskets", "Itemset", "Itemsets", "Rule", "Rules", "association_rules", "frequent_itemsets"]

__dir__ = listing(globals())
