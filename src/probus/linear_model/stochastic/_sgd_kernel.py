"""Stochastic gradient descent on a linear model, one row at a time."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.linear_model.optimisers._linear_rows import add_multiple, product
from probus.losses.margin_losses import HINGE, loss_and_slope

CONSTANT, OPTIMAL, INVERSE_SCALING, ADAPTIVE, PASSIVE_1, PASSIVE_2 = range(6)

_SMALLEST_SCALE = 1e-9  # below, the scale is multiplied into the coefficients
_LARGEST_SLOPE = 1e12
_NEIGHBOURS = 64  # rows of a block
_BLOCK = 32  # rows that are fetched from memory together, which takes hardly longer than fetching one
_BLOCK_VALUES = 16_384  # unless they are long


@njit(nogil=True, cache=True)
def row_keys(rows, factors, y, keys):
    """A number for each row and its target that is equal for equal rows, in whatever order or form they are stored.

    rows, y (IN)   Rows, float64[n]
    factors (IN)   float64[d + 1]  random
    keys (OUT)     float64[n]
    """
    dense = len(rows.columns) == 0
    for i in range(len(keys)):
        first, last = rows.starts[i], rows.starts[i + 1]
        a = b = c = d = 0.0  # four sums by column, so that zeros that are not stored change nothing
        if dense:
            n, at = last - first, first
            for j in range(0, n - 3, 4):
                a += rows.values[at + j] * factors[j]
                b += rows.values[at + j + 1] * factors[j + 1]
                c += rows.values[at + j + 2] * factors[j + 2]
                d += rows.values[at + j + 3] * factors[j + 3]
            for j in range(n - n % 4, n):
                term = rows.values[at + j] * factors[j]
                a += term if j % 4 == 0 else 0.0
                b += term if j % 4 == 1 else 0.0
                c += term if j % 4 == 2 else 0.0
        else:
            for at in range(first, last):
                j = rows.columns[at]
                term = rows.values[at] * factors[j]
                a += term if j % 4 == 0 else 0.0
                b += term if j % 4 == 1 else 0.0
                c += term if j % 4 == 2 else 0.0
                d += term if j % 4 == 3 else 0.0
        keys[i] = (a + b) + (c + d) + y[i] * factors[-1]


@njit(nogil=True)
def below(n, state):
    """A random number from 0 to n − 1, n < 2³², by xorshift; state is uint64[1], not zero."""
    s = state[0]
    s ^= s << np.uint64(13)
    s ^= s >> np.uint64(7)
    s ^= s << np.uint64(17)
    state[0] = s
    return ((s >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)


@njit(nogil=True, cache=True)
def shuffle_rows(order, state):
    """Fisher and Yates's shuffle.

    order (OUT)  int64[n]
    state (OUT)  uint64[1]
    """
    for i in range(len(order) - 1, 0, -1):
        j = below(i + 1, state)
        order[i], order[j] = order[j], order[i]


@njit(nogil=True, cache=True)
def shuffle_blocks(order, state):
    """The numbers of rows in blocks of neighbours: blocks in random order, rows within them too.

    Rows that lie in random order already are visited in another one, without jumps in memory. Where blocks begin is
    random, so that rows do not always have the same companions.

    order (OUT)  int64[n]
    state (OUT)  uint64[1]
    """
    n = len(order)
    starts = np.arange(0, n, _NEIGHBOURS)
    shuffle_rows(starts, state)
    start, at = np.int64(below(n, state)), 0
    for block in starts:
        first = at
        for k in range(block, block + _NEIGHBOURS if block + _NEIGHBOURS < n else n):
            order[at] = start + k if start + k < n else start + k - n
            at += 1
        shuffle_rows(order[first:at], state)


@njit(nogil=True, cache=True)
def sgd_epochs(most, shuffling, random, ending, progress, order, rows, y, weight, how, w, state, mean, pending):
    """Epochs until the objective no longer improves or is not finite; returns their number and the last objective.

    most (IN)         the largest number of epochs
    shuffling (IN)    0: rows are visited in the given order. 1: in a random one. 2: by ``shuffle_blocks``
    random (OUT)      uint64[1]
    ending (IN)       (tolerance, epochs), see ``has_stalled``
    progress (OUT)    float64[2]
    order (OUT)       int64[k]  the rows, in the order of the last epoch
    how (IN)          loss, penalty, rate, intercept and average of ``sgd_epoch``, where the other arguments are too
    """
    loss, penalty, rate, intercept, average = how
    done, objective = 0, 0.0
    while done < most:
        done += 1
        if shuffling == 1:
            shuffle_rows(order, random)
        elif shuffling == 2:
            shuffle_blocks(order, random)
        objective = sgd_epoch(
            rows, y, weight, order, loss, penalty, rate, intercept, average, w, state, mean, pending
        )  # fmt: skip
        if has_stalled(progress, -objective, ending) or not np.isfinite(state[0] + state[5]):
            break
    return done, objective


@njit(nogil=True, cache=True)
def has_stalled(progress, gain, ending):
    """Whether so many epochs in a row have not improved the best gain so far by the tolerance.

    progress (OUT)  float64[2]  the best gain, and the number of epochs
    """
    tol, patience = ending
    progress[1] = progress[1] + 1.0 if gain < progress[0] + tol else 0.0
    progress[0] = max(progress[0], gain)
    return progress[1] >= patience


@njit(nogil=True)
def sgd_epoch(rows, y, weight, order, loss, penalty, rate, intercept, average, w, state, mean, pending):
    """One epoch; returns the mean objective on the way: losses of the rows when visited, and the penalty at both ends.

    rows, y (IN)        Rows, float64[n]
    weight (IN)         float64[n]  times the weights of classes
    order (IN)          int64[k]    the rows, in the order of the visit
    loss (IN)           (number, parameter)
    penalty (IN)        (α, share of absolute values), α = 0 for none
    rate (IN)           (number, eta0, power, α and t₀ of the optimal rate)
    intercept (IN)      the share of a step that the intercept takes, 0 where there is none
    average (IN)        the step from which coefficients are averaged; 0 for never
    w (OUT)             float64[d]
    state (OUT)         float64[6]  intercept, number t of the next step, mean intercept, penalty u so far, rate η, and
                                    the penalty of the coefficients
    mean (OUT)          float64[d]  the mean of the coefficients
    pending (OUT)       float64[d]  how much of u each coefficient has received; empty without absolute values

    The coefficients are ``scale · w``, so that shrinking costs no pass over them. Their sum over steps, which the mean
    needs, is ``base + area · w − late``: ``area`` is the sum of scales, and a change of w adds its share of ``area`` to
    ``late``, so that only the columns of a row are touched. The penalty on absolute values is cumulative (Tsuruoka,
    Tsujii and Ananiadou 2009).
    """
    b, t, mean_b, u, eta, before = state
    alpha, share = penalty
    kind, eta0 = rate[0], rate[1]
    n_averaged = max(t - average, 0.0) if average > 0 else 0.0
    late = np.zeros(len(w) if average > 0 else 0)
    base = mean * n_averaged if average > 0 else mean
    scale, area, total, factors = 1.0, 0.0, 0.0, 1.0
    longest = (rows.starts[1:] - rows.starts[:-1]).max()
    size = min(_BLOCK, max(1, _BLOCK_VALUES // max(longest, 1)))
    block = np.empty((size, longest))
    block_columns = np.empty((size, longest if len(rows.columns) else 0), np.int32)
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        fetch_rows(rows, chosen, block, block_columns)
        for k in range(len(chosen)):
            i = np.uint64(chosen[k])
            length = rows.starts[i + np.uint64(1)] - rows.starts[i]
            values, columns = block[k, :length], block_columns[k, :length]
            p = scale * product(values, columns, w) + b
            value, factor, slope = loss_and_slope(loss[0], loss[1], y[i], p)
            total += value
            factors *= factor
            eta = step_size(rate, eta, t)
            if kind >= PASSIVE_1:
                move = passive_move(kind, eta0, value, values)
                move *= y[i] if loss[0] == HINGE else (1.0 if y[i] >= p else -1.0)
            else:
                move = -eta * min(max(slope, -_LARGEST_SLOPE), _LARGEST_SLOPE)
            move *= weight[i]
            if alpha > 0.0 and share < 1.0:
                scale *= max(0.0, 1.0 - (1.0 - share) * eta * alpha)
                if scale < _SMALLEST_SCALE:
                    fold_scale(scale, area, base, late, w)
                    scale, area = 1.0, 0.0
            if move != 0.0:
                step = move * (1.0 / scale)  # the quotient does not wait for the prediction
                add_multiple(values, columns, step, w)
                if average > 0:
                    add_multiple(values, columns, area * step, late)
                b += intercept * move
            if alpha > 0.0 and share > 0.0:
                u += share * eta * alpha
                shrink_row(columns, length, u, scale, pending, w, area, late)
            if average > 0 and t >= average:
                n_averaged += 1.0
                area += scale
                mean_b += (b - mean_b) / n_averaged
            t += 1.0
        total += np.log(factors)
        factors = 1.0
    for j in range(len(late)):
        mean[j] = (base[j] + area * w[j] - late[j]) / max(n_averaged, 1.0)
    after = settle(scale, u, penalty, pending, w)
    state[0], state[1], state[2], state[3], state[4], state[5] = b, t, mean_b, u, eta, after
    return total / len(order) + 0.5 * (before + after) if kind < PASSIVE_1 else total / len(order)


@njit(nogil=True)
def step_size(rate, eta, t):
    """The size of step t; the last one where it does not follow from t."""
    kind, eta0, power, falling, optimal = rate
    if kind == OPTIMAL:
        return 1.0 / (falling * (optimal + t - 1.0))
    return eta0 / root_of(t, power) if kind == INVERSE_SCALING else eta


@njit(nogil=True)
def fold_scale(scale, area, base, late, w):
    """Multiply the scale into the coefficients, and what was summed with it into the base of their mean."""
    for j in range(len(late)):
        base[j] += area * w[j] - late[j]
        late[j] = 0.0
    for j in range(len(w)):
        w[j] *= scale


@njit(nogil=True)
def settle(scale, u, penalty, pending, w):
    """Multiply the scale into the coefficients and apply the penalty that they still lack; returns their penalty."""
    alpha, share = penalty
    square = absolute = 0.0
    for j in range(len(w)):
        w[j] *= scale
        if alpha > 0.0 and share > 0.0:
            w[j] = shrunk(w[j], 1.0, u, pending, j)
        square += w[j] * w[j]
        absolute += abs(w[j])
    return alpha * (0.5 * (1.0 - share) * square + share * absolute)


@njit(nogil=True)
def root_of(t, power):
    """t ** power, without logarithms for the defaults."""
    if power == 0.5:
        return np.sqrt(t)
    if power == 0.25:
        return np.sqrt(np.sqrt(t))
    return t**power


@njit(nogil=True)
def fetch_rows(rows, chosen, block, block_columns):
    """Copy rows side by side.

    chosen (IN)                 int64[k]
    block, block_columns (OUT)  float64[k, longest], int32[k, longest] or int32[k, 0] of dense rows
    """
    for k in range(len(chosen)):
        i = np.uint64(chosen[k])
        first, last = rows.starts[i], rows.starts[i + np.uint64(1)]
        values = rows.values[first:last]
        for j in range(len(values)):
            block[k, j] = values[j]
        if len(rows.columns):
            columns = rows.columns[first:last]
            for j in range(len(columns)):
                block_columns[k, j] = columns[j]


@njit(nogil=True)
def passive_move(kind, eta0, value, values):
    """The step of the passive-aggressive algorithms (Crammer et al. 2006)."""
    square = 0.0
    for j in range(len(values)):
        square += values[j] * values[j]
    if kind == PASSIVE_1:
        return min(eta0, value / square) if square > 0.0 else 0.0
    return value / (square + 0.5 / eta0)


@njit(nogil=True)
def shrunk(z, scale, u, pending, j):
    """A coefficient after its share of the penalty, which is noted."""
    after = z
    if z > 0.0:
        after = max(0.0, z - (u + pending[j]) / scale)
    elif z < 0.0:
        after = min(0.0, z + (u - pending[j]) / scale)
    pending[j] += scale * (after - z)
    return after


@njit(nogil=True)
def shrink_row(columns, length, u, scale, pending, w, area, late):
    """Apply the penalty on absolute values to the coefficients of a row."""
    for at in range(length):
        j = np.uint64(columns[at]) if len(columns) else np.uint64(at)
        after = shrunk(w[j], scale, u, pending, j)
        if len(late):
            late[j] += area * (after - w[j])
        w[j] = after
