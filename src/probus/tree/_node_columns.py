"""The columns of a node while its tree grows: a row of integers, a row of floats, and its class counts or sums."""

from __future__ import annotations

# whole numbers of a node: LOW and HIGH are the codes on either side of its cut; of a nominal column, LOW is where the
# words of its levels begin. BELOW and ABOVE are rows that have the values on either side of a cut of a listed column
LEFT, RIGHT, FEATURE, DEPTH, START, END, LOW, HIGH, BELOW, ABOVE, MISSING_LEFT, MISSING_SEEN, SEED = range(13)
N_LINKS = 13
# other numbers of a node: LOWER and UPPER are what monotone constraints further up allow it to predict, THRESHOLD is
# that of a cut drawn at random, MIDDLE is midway between the medians of its children
GAIN, IMPURITY, LOWER, UPPER, THRESHOLD, MIDDLE = range(6)
N_FACTS = 6
PENDING = -3  # the left child of a node whose subtree somebody else grows

S_NODE, S_FEATURE, S_LOW, S_HIGH, S_FLIPPED = range(5)  # whole numbers of a surrogate, as those of a node
AGREEMENT, ADJUSTED = range(2)  # other numbers of a surrogate
UNKNOWN = 2  # the side of a row that a split cannot send; right is 0, left is 1
