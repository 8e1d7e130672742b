"""Examples to learn a language from: texts in two parts, with pieces that are masked (Devlin et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from probus.neural_network._sequences import padded
from probus.neural_network._word_pieces import BEGIN, END, MASK, SPECIAL, UNKNOWN

_AS_MASK, _AS_RANDOM = 0.8, 0.1  # the shares of the guessed pieces that are masked, and replaced by any other

Sentences = Sequence[Sequence[int]]


class MaskedExamples(NamedTuple):
    """Rows of pieces; the row, the step and the piece of each that is guessed; and whether the second part follows."""

    pieces: np.ndarray
    rows: np.ndarray
    steps: np.ndarray
    hidden: np.ndarray
    follows: np.ndarray


def masked_examples(
    texts: Sequence[Sentences],
    chosen: np.ndarray,
    n_pieces: int,
    plan: tuple[float, bool, int],
    random: np.random.RandomState,
) -> MaskedExamples:
    """Some texts, each cut between two sentences; the second part of half of them is that of another text.

    ``plan`` is the share of pieces that are guessed, whether texts are cut and second parts exchanged, and the longest
    row.
    """
    share, exchange, longest = plan
    rows, follows = [], np.ones(len(chosen), dtype=np.int64)
    for place, number in enumerate(chosen):
        if not exchange:
            rows.append([BEGIN, *_joined(texts[number])[: longest - 2], END])
            continue
        first, second = _cut(texts[number], random)
        if len(texts) > 1 and random.random_sample() < 0.5:
            other = random.randint(len(texts) - 1)
            second = _cut(texts[other + (other >= number)], random)[1]
            follows[place] = 0
        first, second = _shortened(first, second, longest - 3)
        rows.append([BEGIN, *first, END, *second, END])
    pieces, places, steps, hidden = only_masked(padded(rows), share, random, n_pieces)
    return MaskedExamples(pieces, places, steps, hidden, follows)


def only_masked(
    pieces: np.ndarray, share: float, random: np.random.RandomState, n_pieces: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows with some pieces masked, and the row, the step and the piece of each.

    With ``n_pieces``, a tenth of them is replaced by any piece, and a tenth left as it is.
    """
    free = (pieces >= len(SPECIAL)) | (pieces == UNKNOWN)
    draws = np.where(free, random.random_sample(pieces.shape), 2.0)
    guessed = draws < share
    if not guessed.any() and free.any():
        guessed.flat[draws.argmin()] = True
    rows, steps = np.nonzero(guessed)
    hidden, shown = pieces[guessed], pieces.copy()
    kind = random.random_sample(len(rows)) if n_pieces > len(SPECIAL) else np.zeros(len(rows))
    replaced = np.where(kind < _AS_MASK, MASK, hidden)
    anything = (kind >= _AS_MASK) & (kind < _AS_MASK + _AS_RANDOM)
    if anything.any():
        replaced[anything] = random.randint(len(SPECIAL), n_pieces, anything.sum())
    shown[guessed] = replaced
    return shown, rows, steps, hidden


def _cut(sentences: Sentences, random: np.random.RandomState) -> tuple[list[int], list[int]]:
    """Two parts of a text, cut between sentences."""
    at = random.randint(1, len(sentences)) if len(sentences) > 1 else 1
    return _joined(sentences[:at]), _joined(sentences[at:])


def _joined(sentences: Sentences) -> list[int]:
    return [piece for sentence in sentences for piece in sentence]


def _shortened(first: list[int], second: list[int], longest: int) -> tuple[list[int], list[int]]:
    """Both without the pieces that are too many: the beginning of the first, the end of the second."""
    half = longest // 2
    room = max(longest - len(second), half)
    first = first[-room:]
    return first, second[: longest - len(first)]
