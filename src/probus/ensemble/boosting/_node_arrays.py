"""The columns of the arrays of a growing tree."""

# of each node, in ``links`` (int64)
START, END, DEPTH, LEFT, FEATURE, CUT, MISSING_LEFT, SLOT, TOTAL, SEED = range(10)
N_LINKS = 10
NO_SPLIT = -2  # in FEATURE: a leaf

UNSEEN = 2  # in MISSING_LEFT: the node has no row whose value is missing

# of each node, in ``facts`` (float64)
GAIN, LOWER, UPPER = range(3)
N_FACTS = 3

# of each column, in ``about`` (int64)
GROUP, STRIDE, SIZE, N_CODES, NOMINAL, CELLS, MONOTONE = range(7)

EVERY_CODE = 256  # cells of a byte's histogram
