"""Drawing a resample: how often each unit comes when as many are drawn, with replacement, as there are.

Few units are drawn one by one. Of many, each first gets a count of its own, Poisson with a mean a little below one.
Given their sum, such counts are distributed as if that many units had been drawn one by one. The few that are missing
are drawn then, so that the resample is whole and exact. A sum beyond the number of units is drawn afresh.

Counts are bytes. Fewer than 256 units cannot come more than 255 times; of 256 or more, the chance that one does is
below 10⁻⁵⁰⁰.
"""

from __future__ import annotations

import numpy as np
from numba import types

from probus.compiling import njit

_MANY = 1024  # units in a stratum from which counts are worth setting up
_SHORT = 3.0  # standard deviations by which the counts fall short of the units on average: 1 in 740 is drawn afresh
_LANES = 128  # streams that advance side by side, four counts to the word of each
_DIRECT = 8  # counts 0 … 7 are read off 16 random bits, and this one says that it must be drawn by itself
_TERMS = 30  # a Poisson count of mean one is larger with a chance of 10⁻³³

_STEP, _MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_HALF, _LOW, _ONE = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)
_EIGHTS = np.uint64(0x0808080808080808)  # the bit that, of the numbers 0 … 8, only 8 has, in each of eight bytes
_BELOW_53, _UNIT = np.uint64(11), 2.0**-53


@njit(nogil=True)
def _mixed(state):
    """The output of SplitMix64 (Steele, Lea and Flood 2014) at that state."""
    z = (state ^ (state >> _SHIFT_1)) * _MIX_1
    z = (z ^ (z >> _SHIFT_2)) * _MIX_2
    return z ^ (z >> _SHIFT_3)


@njit(nogil=True)
def _rotate(word, left):
    return (word << np.uint64(left)) | (word >> np.uint64(64 - left))


@njit(nogil=True)
def _advance(lanes, words):
    """The next word of each stream of xoroshiro128++ (Blackman and Vigna 2021).

    lanes (IN, OUT)  uint64[2, _LANES]  the states
    words (OUT)      uint64[_LANES]
    """
    for j in range(_LANES):
        a, b = lanes[0, j], lanes[1, j]
        words[j] = _rotate(a + b, 17) + a
        b ^= a
        lanes[0, j] = _rotate(a, 49) ^ b ^ (b << np.uint64(21))
        lanes[1, j] = _rotate(b, 28)


@njit(nogil=True)
def _law(mean, starts, rest):
    """How 16 bits tell a Poisson count, and how the count is distributed where they do not.

    Of the 65,536 patterns, ⌊65,536 p⌋ stand for each of the counts 0 … 7; what these leave over of every probability is
    ``rest`` (Marsaglia 1963).

    starts (OUT)  uint16[_DIRECT]  the first pattern that stands for 1, 2, …, 7, and for none
    rest (OUT)    float64[_TERMS]  cumulated, up to 1
    """
    p, taken, total = np.exp(-mean), 0, 0.0
    for k in range(_TERMS):
        patterns = 65_536.0 * p
        if k < _DIRECT:
            taken += int(patterns)
            starts[k] = taken
            patterns -= int(patterns)
        total += patterns
        rest[k] = total
        p *= mean / (k + 1)
    rest /= total


@njit(nogil=True)
def _read_counts(bits, starts, block):
    """What each 16 bits stand for. Compared side by side, without a branch, this takes a third of a nanosecond each.

    bits (IN, OUT)  uint16[4 · _LANES]
    block (OUT)     uint8[4 · _LANES]
    """
    one, two, three, four, five, six, seven, none = starts
    for i in range(len(bits)):
        u = bits[i]
        low = np.uint16(u >= one) + np.uint16(u >= two) + np.uint16(u >= three) + np.uint16(u >= four)
        high = np.uint16(u >= five) + np.uint16(u >= six) + np.uint16(u >= seven) + np.uint16(u >= none)
        bits[i] = low + high
    for i in range(len(bits)):
        block[i] = bits[i]


@njit(nogil=True)
def _draw_rest(state, rest, block):
    """Draw by themselves the counts that 16 bits did not tell.

    block (IN, OUT)  uint8[4 · _LANES]
    """
    eights = block.view(np.uint64)
    for j in range(len(eights)):
        if eights[j] & _EIGHTS:
            for i in range(8 * j, 8 * j + 8):
                if block[i] == _DIRECT:
                    state += _STEP
                    u = (_mixed(state) >> _BELOW_53) * _UNIT
                    k = 0
                    while k < _TERMS - 1 and u >= rest[k]:
                        k += 1
                    block[i] = k
    return state


@njit(nogil=True)
def _poisson_counts(state, counts):
    """A Poisson count for every unit, together no more than there are units; gives back the stream and their sum.

    counts (OUT)  uint8[U]
    """
    starts, rest = np.empty(_DIRECT, np.uint16), np.empty(_TERMS)
    _law(1.0 - _SHORT / np.sqrt(len(counts)), starts, rest)
    law = (starts[0], starts[1], starts[2], starts[3], starts[4], starts[5], starts[6], starts[7])
    lanes, words, block = np.empty((2, _LANES), np.uint64), np.empty(_LANES, np.uint64), np.empty(4 * _LANES, np.uint8)
    for j in range(_LANES):
        for half in range(2):
            state += _STEP
            lanes[half, j] = _mixed(state)
    while True:
        total = np.int64(0)
        for start in range(0, len(counts), len(block)):
            _advance(lanes, words)
            _read_counts(words.view(np.uint16), law, block)
            state = _draw_rest(state, rest, block)
            part = counts[start : start + len(block)]
            for i in range(len(part)):
                part[i] = block[i]
                total += np.int64(block[i])
        if total <= len(counts):
            return state, total


@njit(nogil=True)
def _draw_one_by_one(state, n, counts):
    """Draw n more units.

    Half a random word times the number of units has the drawn one in its upper half. Those lower halves that would
    favour some units are drawn again (Lemire 2019), so that the draw is exactly uniform.

    counts (IN, OUT)  uint8[U]
    """
    size = np.uint64(len(counts))
    biased = (_ONE << _HALF) % size
    while n > 0:
        state += _STEP
        word = _mixed(state)
        for half in (word & _LOW, word >> _HALF):
            product = half * size
            if n > 0 and (product & _LOW) >= biased:
                counts[product >> _HALF] += 1
                n -= 1
    return state


def _reads(dtype):
    return types.Array(dtype, 1, "C", readonly=True)


@njit(
    types.void(types.uint64, _reads(types.uint32), _reads(types.int64), types.uint8[::1]),
    nogil=True,
    cache=True,
)
def draw_counts(seed, order, starts, counts):
    """Draw from each stratum, with replacement, as many units as it has.

    seed (IN)     uint64        start of this resample's stream
    order (IN)    uint32[U]     the units, stratum by stratum; empty where they are one stratum in their own order
    starts (IN)   int64[S + 1]  where each stratum starts in ``order``, and its end
    counts (OUT)  uint8[U]      how often each unit was drawn
    """
    state = seed
    drawn = np.empty(len(order), np.uint8) if len(order) else counts
    for s in range(len(starts) - 1):
        stratum, total = drawn[starts[s] : starts[s + 1]], 0
        if len(stratum) < _MANY:
            stratum[:] = 0
        else:
            state, total = _poisson_counts(state, stratum)
        state = _draw_one_by_one(state, len(stratum) - total, stratum)
    for i in range(len(order)):
        counts[order[i]] = drawn[i]
