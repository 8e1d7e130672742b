"""Pieces of words, learnt from texts by merging the most frequent pairs (byte-pair encoding, Sennrich et al. 2016)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any, ClassVar

from probus.errors import DataError, ModelFileError
from probus.state import Flag, Part, Plain, Spec

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, UNKNOWN, BEGIN, END, MASK = range(len(SPECIAL))
_TOKEN = re.compile(r"\[MASK\]|\w+|[^\w\s]")
_MOST_REMEMBERED = 100_000
_INSIDE = "##"  # begins a piece that continues a word

Pair = tuple[str, str]


@dataclass(frozen=True)
class WordPieces(Part):
    """Words as numbers: frequent words are one piece, and rare ones several.

    A word begins as its letters; merges join pairs of pieces, in the order in which they were learnt. A piece that
    continues a word begins with ``##``. Letters that no text had are ``[UNK]``.

    Attributes
    ----------
    pieces : the pieces; the number of a piece is its place. The first are [PAD], [UNK], [CLS], [SEP] and [MASK].
    merges : the pairs that are joined, the first of them first.
    lowercase : whether capital letters are read as small ones.

    Examples
    --------
    >>> pieces = WordPieces.learn(["a dress, two dresses", "the dress", "a long dress"], 25)
    >>> pieces.split("Long dresses")
    ['l', '##o', '##n', '##g', 'dress', '##es']
    >>> pieces.decode(pieces.encode("Long dresses"))
    'long dresses'
    """

    pieces: Sequence[str]
    merges: Sequence[Sequence[str]]
    lowercase: bool = True

    declared: ClassVar[Mapping[str, Spec]] = {"pieces": Plain(), "merges": Plain(), "lowercase": Flag()}

    @classmethod
    def learn(cls, texts: Iterable[str], size: int = 2000, *, lowercase: bool = True) -> WordPieces:
        """Pieces of the words of some texts.

        Parameters
        ----------
        texts : the texts.
        size : the most pieces; letters are always among them.
        lowercase : whether capital letters are read as small ones.

        Returns
        -------
        The pieces.
        """
        counts = Counter(word for text in texts for word in words_of(text, lowercase=lowercase) if word != "[MASK]")
        split = {word: _letters(word) for word in counts}
        alphabet = sorted({piece for pieces in split.values() for piece in pieces})
        merges = _learn_merges(split, counts, size - len(SPECIAL) - len(alphabet))
        joined = dict.fromkeys(_joined(pair) for pair in merges)
        known = set(alphabet)
        return cls([*SPECIAL, *alphabet, *(piece for piece in joined if piece not in known)], merges, lowercase)

    def __len__(self) -> int:
        return len(self.pieces)

    def __repr__(self) -> str:
        return f"WordPieces({len(self)} pieces)"

    def check(self) -> None:
        """See ``Part``."""
        words = isinstance(self.pieces, list) and all(isinstance(each, str) for each in self.pieces)
        if not words or tuple(self.pieces[: len(SPECIAL)]) != SPECIAL or len(set(self.pieces)) != len(self.pieces):
            raise ModelFileError("WordPieces: the pieces are not distinct strings after the special ones.")
        known = set(self.pieces)
        for pair in self.merges:
            is_pair = isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(p, str) for p in pair)
            if not is_pair or _joined((pair[0], pair[1])) not in known:
                raise ModelFileError("WordPieces: a merge does not give a piece.")

    def split(self, text: str) -> list[str]:
        """The pieces of a text.

        Parameters
        ----------
        text : the text.

        Returns
        -------
        The pieces, without special ones at the ends.
        """
        return [self.pieces[each] for each in self.encode(text)]

    def encode(self, text: str) -> list[int]:
        """The numbers of the pieces of a text.

        Parameters
        ----------
        text : the text.

        Returns
        -------
        The numbers, without special ones at the ends.
        """
        found: list[int] = []
        for word in words_of(text, lowercase=self.lowercase):
            numbers = self._remembered.get(word)
            if numbers is None:
                numbers = (
                    [MASK] if word == "[MASK]" else [self._numbers.get(each, UNKNOWN) for each in self._merged(word)]
                )
                if len(self._remembered) < _MOST_REMEMBERED:
                    self._remembered[word] = numbers
            found += numbers
        return found

    def decode(self, numbers: Iterable[int]) -> str:
        """The text of pieces, with a space before each word.

        Parameters
        ----------
        numbers : the numbers of the pieces.

        Returns
        -------
        The text.
        """
        return " ".join(self.pieces[int(each)] for each in numbers).replace(f" {_INSIDE}", "")

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {piece: number for number, piece in enumerate(self.pieces)}

    @cached_property
    def _ranks(self) -> dict[Pair, int]:
        return {(pair[0], pair[1]): rank for rank, pair in enumerate(self.merges)}

    @cached_property
    def _remembered(self) -> dict[str, list[int]]:
        return {}

    def _merged(self, word: str) -> list[str]:
        """The pieces of a word: pairs are joined, the first learnt first."""
        pieces, ranks = _letters(word), self._ranks
        while len(pieces) > 1:
            pair = min(pairwise(pieces), key=lambda each: ranks.get(each, len(ranks)))
            if pair not in ranks:
                break
            pieces = _join(pieces, pair)
        return pieces

    def __getstate__(self) -> dict[str, Any]:
        return self.parts()


def words_of(text: str, *, lowercase: bool) -> list[str]:
    """The words and punctuation marks of a text.

    >>> words_of("It's [MASK]!", lowercase=True)
    ['it', "'", 's', '[MASK]', '!']
    """
    if not isinstance(text, str):
        raise DataError(f"a text {text!r}.", "strings")
    words = _TOKEN.findall(text)
    return [word if word == "[MASK]" else word.lower() for word in words] if lowercase else words


def _letters(word: str) -> list[str]:
    return [word[0], *(_INSIDE + letter for letter in word[1:])]


def _joined(pair: Pair) -> str:
    return pair[0] + pair[1].removeprefix(_INSIDE)


def _join(pieces: list[str], pair: Pair) -> list[str]:
    """The pieces with each occurrence of a pair as one, from the left."""
    found: list[str] = []
    at = 0
    while at < len(pieces):
        if at + 1 < len(pieces) and (pieces[at], pieces[at + 1]) == pair:
            found.append(_joined(pair))
            at += 2
        else:
            found.append(pieces[at])
            at += 1
    return found


def _learn_merges(split: dict[str, list[str]], counts: Mapping[str, int], n_merges: int) -> list[Pair]:
    """The most frequent pair of adjacent pieces, joined, and so on; of equals the first in alphabetic order.

    Only words that contain the pair are counted anew.
    """
    frequency: Counter[Pair] = Counter()
    places: defaultdict[Pair, set[str]] = defaultdict(set)
    for word, pieces in split.items():
        for pair in pairwise(pieces):
            frequency[pair] += counts[word]
            places[pair].add(word)
    queue = [(-times, pair) for pair, times in frequency.items()]
    heapify(queue)
    merges: list[Pair] = []
    while len(merges) < n_merges and queue:
        times, best = heappop(queue)
        if frequency.get(best) != -times:  # an entry from before a merge
            continue
        if times > -2:
            break
        merges.append(best)
        changed: set[Pair] = set()
        for word in places.pop(best):
            before, after = split[word], _join(split[word], best)
            for pair in pairwise(before):
                frequency[pair] -= counts[word]
                changed.add(pair)
            for pair in pairwise(after):
                frequency[pair] += counts[word]
                places[pair].add(word)
                changed.add(pair)
            split[word] = after
        for pair in changed:
            if frequency[pair] > 0:
                heappush(queue, (-frequency[pair], pair))
    return merges
