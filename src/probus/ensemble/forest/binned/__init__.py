"""Trees of a forest on binned columns: one small code for each value, one addition for each row and column asked.

Read it as the data travels: ``codes`` (values become bins), ``payload`` (what a row adds to a sum), ``two_classes``,
``numbers`` and ``many_classes`` (the best cut of a column), ``levels`` and ``chance`` (other cuts), ``grow`` (all nodes
of a tree), ``tree`` (the way in).
"""
