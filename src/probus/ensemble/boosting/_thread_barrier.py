"""A barrier for threads that grow one tree: all run the same kernel, share the work, and wait for each other.

A tree has hundreds of steps of microseconds; waking a thread, or waiting for Python's lock, costs more than most of
them. So the threads stay in the kernel and watch a counter that each raises when it is done.
"""

from __future__ import annotations

import numpy as np

from probus.numba_seam.instructions import increment, pause, read, yield_processor
from probus.tree.kernel_parts import inner

_MAX_READS = 1000  # reads of the counter before the thread yields


@inner
def wait_for_all(counter, team, turn):
    """Wait until all threads of the team are here; returns the next turn.

    counter (INOUT) int64[1], how often anyone came
    turn (IN)       how often this thread did
    """
    turn += 1
    if team > 1:
        increment(counter)
        n_reads = 0
        while read(counter) < np.int64(turn * team):
            n_reads += 1
            pause()
            if n_reads > _MAX_READS:
                yield_processor()
    return turn
