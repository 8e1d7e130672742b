"""The search for surrogate splits: which other features would send the rows of a node as its split does.

A surrogate is judged by its agreement, the share of rows (by weight, among those the split itself can send) that it
sends the same way. It must beat sending all of them with the majority; ``adjusted`` is by how much of what that
leaves. As in rpart, rows that lack the surrogate's column count as disagreeing, and a cut leaves at least two rows on
either side (Breiman et al. 1984, section 5.3; Therneau and Atkinson, "An introduction to recursive partitioning").
"""

from __future__ import annotations

import numpy as np

from probus.tree._node_columns import (
    ADJUSTED,
    AGREEMENT,
    END,
    FEATURE,
    MISSING_LEFT,
    S_FEATURE,
    S_FLIPPED,
    S_HIGH,
    S_LOW,
    S_NODE,
    START,
    UNKNOWN,
)
from probus.tree.kernel_parts import inner
from probus.tree.preparation._codes import N_CODES, NOMINAL
from probus.tree.splitting._histogram import fill_cells

_KNOWN, _RIGHT, _LEFT = 1, 2, 3  # columns of a cell: rows that the split can send, and the weight on either side


def surrogate_buffers(n_rows: int, most_codes: int, surrogates: int) -> tuple[np.ndarray, ...]:
    """Buffers (cells, their codes, side and whether known of each row), and for the surrogates of all nodes."""
    most = most_codes + 1
    return (
        np.empty((most, 5)), np.empty(most, np.int64), np.empty(n_rows, np.int32), np.empty(n_rows),
        np.empty((n_rows * surrogates, 5), np.int64), np.empty((n_rows * surrogates, 2)), np.empty(surrogates),
    )  # fmt: skip


@inner
def find_surrogates(node, link, codes, about, rows, weight, side, buffers, first, buffer, words, at):
    """Rank the columns that split the node's rows as its split does; returns how many are kept and words in use.

    codes (IN)  int32[d, n] the codes of all columns: where surrogates are wanted, none is listed
    side (IN)   uint8[n] where the split sends each row: right 0, left 1, unknown 2
    buffers (OUT) of ``surrogate_buffers``; the surrogates of this node begin at ``first``, the best first
    words (OUT) uint32[*] levels of nominal surrogates, from ``at`` on
    """
    cells, code_of, label, sent, s_links, s_facts, most = buffers
    s_link, s_fact = s_links[first : first + len(most)], s_facts[first : first + len(most)]
    start, end = link[START], link[END]
    known, left, found = 0.0, 0.0, 0
    for p in range(start, end):
        r = rows[p]
        label[r] = side[r]
        sent[r] = 0.0 if side[r] == UNKNOWN else 1.0
        known += sent[r] * weight[r]
        left += weight[r] if side[r] == 1 else 0.0
    majority = max(left, known - left)
    for f in range(len(about)):
        if f == link[FEATURE]:
            continue
        filled = fill_cells(codes[f], about[f, N_CODES], rows[start:end], label, weight, sent, code_of, cells, buffer)
        filled -= code_of[filled - 1] == about[f, N_CODES]  # the missing say nothing
        if about[f, NOMINAL] == 1:
            agree, cut, flipped = 0.0, 0, 0
            for q in range(filled):
                agree += max(cells[q, _LEFT], cells[q, _RIGHT])
        else:
            agree, cut, flipped = _best_agreement(filled, cells)
        adjusted = (agree - majority) / (known - majority) if known > majority else 0.0
        if adjusted <= 1e-10 or (about[f, NOMINAL] == 0 and cut == 0):
            continue
        place = found
        while place > 0 and s_fact[place - 1, AGREEMENT] < agree / known:
            place -= 1
        if place >= len(s_link):
            continue
        found = min(found + 1, len(s_link))
        for q in range(found - 1, place, -1):
            for c in range(s_link.shape[1]):
                s_link[q, c] = s_link[q - 1, c]
            for c in range(s_fact.shape[1]):
                s_fact[q, c] = s_fact[q - 1, c]
        s_link[place, S_NODE], s_link[place, S_FEATURE], s_link[place, S_FLIPPED] = node, f, flipped
        s_link[place, S_LOW], s_link[place, S_HIGH] = code_of[max(cut - 1, 0)], code_of[cut]
        s_fact[place, AGREEMENT], s_fact[place, ADJUSTED] = agree / known, adjusted
        if about[f, NOMINAL] == 1:
            s_link[place, S_LOW], s_link[place, S_HIGH] = at, -1
            at = _write_sides(filled, about[f, N_CODES], cells, code_of, words, at)
    return found, at


@inner
def _best_agreement(filled, cells):
    """The best cut of an ordered column: its agreement, how many cells lie below it, whether those go right."""
    left = right = below_left = below_right = n_below = n_above = 0.0
    for q in range(filled):
        left += cells[q, _LEFT]
        right += cells[q, _RIGHT]
        n_above += cells[q, _KNOWN]
    agree, cut, flipped = max(left, right), 0, 0
    for q in range(filled):
        if n_above < 2.0:
            break
        if n_below >= 2.0:
            if left - below_left + below_right > agree:
                agree, cut, flipped = left - below_left + below_right, q, 1
            elif below_left + right - below_right > agree:
                agree, cut, flipped = below_left + right - below_right, q, 0
        below_left += cells[q, _LEFT]
        below_right += cells[q, _RIGHT]
        n_below += cells[q, _KNOWN]
        n_above -= cells[q, _KNOWN]
    return agree, cut, flipped


@inner
def _write_sides(filled, n_levels, cells, code_of, words, at):
    """Set the bits of the levels more of whose rows went left, and of those whose rows went anywhere.

    A level whose rows went either way alike goes with the majority.
    """
    size, more_left = (n_levels + 31) // 32, 0.0
    for q in range(filled):
        more_left += cells[q, _LEFT] - cells[q, _RIGHT]
    for q in range(2 * size):
        words[at + q] = np.uint32(0)
    for q in range(filled):
        word, bit = code_of[q] >> 5, np.uint32(1) << np.uint32(code_of[q] & 31)
        left, right = cells[q, _LEFT], cells[q, _RIGHT]
        if left + right == 0.0:
            continue
        words[at + size + word] |= bit
        if left > right or (left == right and more_left > 0.0):
            words[at + word] |= bit
    return at + 2 * size


@inner
def send_unknown(link, codes, about, rows, weight, side, s_links, first, found, words):
    """Send the rows that the split could not: by the first surrogate that can, or else with the majority."""
    left = right = 0.0
    for p in range(link[START], link[END]):
        r = rows[p]
        left += weight[r] if side[r] == 1 else 0.0
        right += weight[r] if side[r] == 0 else 0.0
    link[MISSING_LEFT] = left > right
    for p in range(link[START], link[END]):
        r = rows[p]
        q = first
        while side[r] == UNKNOWN and q < first + found:
            f, low = s_links[q, S_FEATURE], s_links[q, S_LOW]
            n_codes, code = about[f, N_CODES], np.int64(codes[f, r])
            if code < n_codes and about[f, NOMINAL] == 0:
                side[r] = (code <= low) != (s_links[q, S_FLIPPED] == 1)
            elif code < n_codes:
                word, bit = code >> 5, np.uint32(code & 31)
                if (words[low + (n_codes + 31) // 32 + word] >> bit) & np.uint32(1) == 1:
                    side[r] = (words[low + word] >> bit) & np.uint32(1)
            q += 1
        if side[r] == UNKNOWN:
            side[r] = link[MISSING_LEFT]
