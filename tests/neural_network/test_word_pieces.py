"""Word pieces: the obvious slow reference, and texts that were not trained on."""

from collections import Counter

import numpy as np
import pytest

from probus.errors import DataError, ModelFileError
from probus.neural_network import WordPieces

SYLLABLES = ["ba", "do", "ri", "nu", "lek", "to", "sa"]


def texts(n=60, seed=0):
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(SYLLABLES, rng.integers(1, 5))) for _ in range(80)]
    share = 1.0 / np.arange(1, 81)
    return [" ".join(rng.choice(words, 12, p=share / share.sum())) + "." for _ in range(n)]


def slow_merges(lines, n_merges):
    """Count every pair of every word anew before each merge."""
    words = Counter(word for line in lines for word in line.replace(".", " .").split())
    split = {word: [word[0], *("##" + letter for letter in word[1:])] for word in words}
    merges = []
    while len(merges) < n_merges:
        pairs = Counter()
        for word, times in words.items():
            for pair in zip(split[word], split[word][1:], strict=False):
                pairs[pair] += times
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < 2:
            break
        merges.append(best)
        for word, pieces in split.items():
            joined, at = [], 0
            while at < len(pieces):
                here = tuple(pieces[at : at + 2]) == best
                joined.append(best[0] + best[1][2:] if here else pieces[at])
                at += 2 if here else 1
            split[word] = joined
    return merges, split


@pytest.mark.parametrize("size", [30, 60, 400])
def test_merges_are_those_of_the_slow_reference(size):
    lines = texts()
    pieces = WordPieces.learn(lines, size)
    letters = {each for each in pieces.pieces[5:] if len(each.removeprefix("##")) == 1}
    merges, split = slow_merges(lines, size - 5 - len(letters))
    assert [tuple(each) for each in pieces.merges] == merges
    for word, expected in split.items():
        assert pieces.split(word) == expected


def test_texts_come_back():
    pieces = WordPieces.learn(texts(), 100)
    for line in texts(20, seed=1):
        assert pieces.decode(pieces.encode(line)) == line.replace(".", " .")


def test_words_never_seen_are_pieces_and_strange_letters_unknown():
    pieces = WordPieces.learn(["abc abd"] * 3, 50)
    assert pieces.split("abcd") == ["abc", "##d"]
    assert pieces.split("é abd") == ["[UNK]", "abd"]
    assert pieces.split("") == []
    assert pieces.split("ab[MASK]c") == ["ab", "[MASK]", "[UNK]"]


def test_capital_letters_are_kept_where_asked():
    assert WordPieces.learn(["Ab ab"] * 3, 50, lowercase=False).split("Ab") == ["Ab"]
    assert WordPieces.learn(["Ab ab"] * 3, 50).split("AB") == ["ab"]


def test_no_text_gives_the_special_pieces():
    assert len(WordPieces.learn([], 100)) == 5


def test_a_text_is_a_string():
    with pytest.raises(DataError, match=r"a text 3\.\n  Expected strings"):
        WordPieces.learn([3], 50)


def test_forged_pieces_are_refused():
    with pytest.raises(ModelFileError, match="not distinct strings"):
        WordPieces.of_parts({"pieces": ["a"], "merges": [], "lowercase": True})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    with pytest.raises(ModelFileError, match="does not give a piece"):
        WordPieces.of_parts({"pieces": special, "merges": [["a", "##b"]], "lowercase": True})
