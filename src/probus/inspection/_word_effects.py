"""What the words of a text add to a prediction: the change when they are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from probus.data import WORD, Column, Table

Score = Callable[[Table, np.ndarray], np.ndarray]
"""The scores of rows of a table; the second argument is which rows of the whole they are."""

_TRIED = 10  # words of a text: those that the model gives the largest weights
_TIMES_MORE = 1.5  # does a pair than its words, to be named in place of them
_BATCH = 20_000  # rows scored in one call
_WORD = re.compile(WORD)


class WordEffect(NamedTuple):
    """A word or phrase, as it is written, and what it adds: the score with it minus the score without it."""

    phrase: str
    effect: float


@dataclass(frozen=True, eq=False)
class WordEffects:
    """The effects of the words of each row, the largest first.

    together : the words that were tried, the strongest first, and the effect of leaving out all of them: where several
    words say the same, none of them alone may change anything.
    """

    rows: tuple[tuple[WordEffect, ...], ...]
    together: tuple[tuple[tuple[str, ...], float], ...]

    def moving(self, row: int, direction: float, most: int) -> tuple[str, ...]:
        """The words that move the score of a row in a direction: each alone, else together."""
        alone = [each.phrase for each in self.rows[row] if each.effect * direction > 0]
        words, effect = self.together[row]
        return tuple(alone[:most]) or (words[:most] if effect * direction > 0 else ())

    def totals(self, fewest: int = 2) -> list[tuple[str, int, float]]:
        """Each word of at least so many rows, how many rows have it, and its mean effect: the largest first."""
        found: dict[str, list[float]] = {}
        written: dict[str, str] = {}
        for row in self.rows:
            for each in row:
                key = each.phrase.casefold()
                written.setdefault(key, each.phrase)
                found.setdefault(key, []).append(each.effect)
        lines = [(written[key], len(each), float(np.mean(each))) for key, each in found.items() if len(each) >= fewest]
        return sorted(lines, key=lambda line: -abs(line[2]) * np.sqrt(line[1]))


def word_effects(
    score: Score, table: Table, name: str, strength: Callable[[Sequence[str]], np.ndarray] | None = None
) -> WordEffects:
    """The effects of words and of pairs of adjacent words of a column of text.

    Each word is left out in turn. A pair is named in place of its words where it does more than both of them. Of long
    texts the words of the largest ``strength`` are tried.

    >>> notes = Table([Column.text("note", ["a good book", "not good at all"])])
    >>> def praise(X, rows):
    ...     return np.array([("good" in text) * (-1.0 if "not" in text else 1.0) for text in X["note"].values])
    >>> [row[0] for row in word_effects(praise, notes, "note").rows]
    [WordEffect(phrase='good', effect=1.0), WordEffect(phrase='not', effect=-2.0)]
    """
    texts = ["" if cell is None else str(cell) for cell in table[name].decoded().tolist()]
    texts = ["" if missing else text for text, missing in zip(texts, table[name].missing, strict=True)]
    words = [list(_WORD.finditer(text)) for text in texts]
    kept = _strongest(words, strength)
    rows: list[int] = []
    phrases: list[tuple[str, ...]] = []
    variants: list[str] = []
    for row, (text, found) in enumerate(zip(texts, words, strict=True)):
        for phrase in [*_phrases(found, kept[row]), tuple(kept[row])]:
            rows.append(row)
            phrases.append(phrase)
            variants.append(_without(text, phrase))
    effects = _effects(score, table, name, np.array(rows), variants)
    each: list[dict[tuple[str, ...], float]] = [{} for _ in texts]
    all_of: list[float] = [0.0] * len(texts)
    for row, phrase, effect in zip(rows, phrases, effects.tolist(), strict=True):
        each[row].setdefault(phrase, effect)
        all_of[row] = effect  # the last of a row is all of its words
    spelled = [_spelled(found) for found in words]
    together = (tuple(own[word] for word in some) for own, some in zip(spelled, kept, strict=True))
    alone = tuple(_largest(_few(own), spelling) for own, spelling in zip(each, spelled, strict=True))
    return WordEffects(alone, tuple(zip(together, all_of, strict=True)))


def _strongest(
    words: Sequence[list[re.Match[str]]], strength: Callable[[Sequence[str]], np.ndarray] | None
) -> list[list[str]]:
    """The words of each text that are tried, in lower case, the strongest first."""
    known = sorted({word[0].lower() for found in words for word in found})
    weights = dict(zip(known, strength(known).tolist() if strength and known else [1.0] * len(known), strict=True))
    kept = []
    for found in words:
        own = dict.fromkeys(word[0].lower() for word in found)
        ranked = sorted((word for word in own if weights[word] > 0), key=lambda word: -weights[word])
        kept.append(ranked[:_TRIED])
    return kept


def _phrases(found: list[re.Match[str]], kept: list[str]) -> list[tuple[str, ...]]:
    """The words that are kept, and the pairs of them that are adjacent."""
    own = [word[0].lower() for word in found]
    pairs = [pair for pair in pairwise(own) if pair[0] in kept and pair[1] in kept and pair[0] != pair[1]]
    return list(dict.fromkeys([*((word,) for word in own if word in kept), *pairs]))


def _without(text: str, phrase: tuple[str, ...]) -> str:
    """The text without the words of a phrase."""
    return _WORD.sub(lambda word: "" if word[0].lower() in phrase else word[0], text)


def _effects(score: Score, table: Table, name: str, rows: np.ndarray, variants: list[str]) -> np.ndarray:
    """The score of each row minus that of its variant."""
    whole = score(table, np.arange(table.n_rows))
    left = np.empty(len(rows))
    for first in range(0, len(rows), _BATCH):
        part = slice(first, first + _BATCH)
        changed = table.take(rows[part]).with_columns(Column.text(name, variants[part]))
        left[part] = score(changed, rows[part])
    return whole[rows] - left


def _spelled(found: list[re.Match[str]]) -> dict[str, str]:
    """The words of a text as they are first written."""
    return {word[0].lower(): word[0] for word in reversed(found)}


def _few(effects: dict[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
    """Those of words and pairs."""
    return {phrase: effect for phrase, effect in effects.items() if 1 <= len(phrase) <= 2}


def _largest(effects: dict[tuple[str, ...], float], spelled: dict[str, str]) -> tuple[WordEffect, ...]:
    """The phrases as they are written, the largest effect first; of a pair and its words the pair or both words."""
    inside: set[str] = set()
    joint = []
    for pair in sorted((phrase for phrase in effects if len(phrase) == 2), key=lambda pair: -abs(effects[pair])):
        more = abs(effects[pair]) > _TIMES_MORE * sum(abs(effects[(word,)]) for word in pair)
        if more and not inside & set(pair):
            joint.append(pair)
            inside |= set(pair)
    kept = [phrase for phrase in effects if phrase in joint or (len(phrase) == 1 and phrase[0] not in inside)]
    named = [WordEffect(" ".join(spelled[word] for word in phrase), effects[phrase]) for phrase in kept]
    return tuple(sorted((each for each in named if each.effect), key=lambda each: -abs(each.effect)))
