"""Vectors of words: the definition by counting pairs, words of a kind, and means."""

from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import probus
from probus.data import Column, Table
from probus.errors import DataError
from probus.preprocessing import AverageWords

ANIMALS, DRINKS = ["cat", "dog", "horse", "cow"], ["wine", "beer", "milk", "tea"]


def texts(n=300, seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        if rng.random() < 0.5:
            made.append(f"the {rng.choice(ANIMALS)} sleeps in {rng.choice(['barns', 'baskets', 'grass'])}")
        else:
            made.append(f"{rng.choice(DRINKS)} tastes of {rng.choice(['herbs', 'honey', 'smoke'])}")
    return made


def slow_vectors(lines, words, k, window):
    """Pairs are counted one by one, and the matrix is dense."""
    pairs, single = Counter(), Counter()
    for line in lines:
        found = [word for word in line.split() if word in words]
        for at, word in enumerate(found):
            for other in found[max(at - window, 0) : at] + found[at + 1 : at + 1 + window]:
                pairs[word, other] += 1
                single[word] += 1
    smooth = {word: single[word] ** 0.75 for word in words}
    matrix = np.zeros((len(words), len(words)))
    for (one, other), times in pairs.items():
        gain = times * sum(smooth.values()) / (single[one] * smooth[other])
        matrix[words.index(one), words.index(other)] = max(np.log(gain), 0.0)
    left, values, _ = np.linalg.svd(matrix)
    return (left * np.sqrt(values))[:, :k]


@pytest.mark.parametrize("window", [1, 2, 5])
def test_vectors_are_those_of_the_definition(window):
    model = AverageWords(4, window=window).fit(texts())
    expected = slow_vectors(texts(), model.words_[0].tolist(), 4, window)
    found = model.vectors_[0]
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-8)
    assert (found[np.abs(found).argmax(axis=0), np.arange(4)] > 0).all()


def test_many_words_have_the_same_vectors_by_another_algorithm():
    rng = np.random.default_rng(0)
    words = [f"w{at:03}" for at in range(150)]
    lines = [" ".join(words[each] for each in sorted(rng.integers(0, 150, 8))) for _ in range(800)]
    model = AverageWords(3).fit(lines)
    expected = slow_vectors(lines, model.words_[0].tolist(), 3, 5)
    np.testing.assert_allclose(model.vectors_[0] @ model.vectors_[0].T, expected @ expected.T, atol=1e-6)


def test_words_of_a_kind_are_similar():
    model = AverageWords(6).fit(texts())
    assert {word for word, _ in model.similar("cat", k=3)} == set(ANIMALS) - {"cat"}
    assert {word for word, _ in model.similar("tea", k=3)} == set(DRINKS) - {"tea"}


def test_a_text_is_the_mean_of_its_words():
    model = AverageWords(3).fit(texts())
    vector = dict(zip(model.words_[0], model.vectors_[0], strict=True))
    found = model.transform(["cat cat wine", "unheard words", "", None])
    np.testing.assert_allclose(found[0], (2 * vector["cat"] + vector["wine"]) / 3)
    np.testing.assert_array_equal(found[1:], 0.0)


def test_unseen_words_of_training_help_with_few_labels():
    """A classifier that has seen cats and wine classifies cows and beer, which counts of words do not allow."""
    vectors = AverageWords(6).fit(texts())
    model = LogisticRegression(C=100.0).fit(vectors.transform(["cat", "wine"]), ["animal", "drink"])
    predicted = model.predict(vectors.transform([*ANIMALS, *DRINKS]))
    assert predicted.tolist() == ["animal"] * 4 + ["drink"] * 4


def test_numbers_are_kept_and_columns_named(tmp_path):
    table = Table([Column.numbers("x", np.arange(4.0)), Column.text("note", ["a cat", "the dog", "red wine", None])])
    model = AverageWords(2).fit(table)
    assert model.get_feature_names_out().tolist() == ["x", "note 1", "note 2"]
    assert model.transform(table).shape == (4, 3)
    assert model.notes() == ["note is used as the mean vector of 5 words, 2 numbers"]
    np.testing.assert_array_equal(
        probus.load(model.save(tmp_path / "m.probus")).transform(table), model.transform(table)
    )


def test_an_unknown_word_is_an_error():
    with pytest.raises(DataError, match=r"the word 'xyzzy' is not in the training rows"):
        AverageWords(2).fit(texts()).similar("xyzzy")
