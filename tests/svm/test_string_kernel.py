"""The kernel of strings, by its definition."""

import numpy as np
import pytest

import probus
from probus.data import Column, Table
from probus.errors import DataError
from probus.svm import SVC, SVR, OneClassSVM, StringKernel

WORDS = ["walking", "talking", "singing", "walked", "talked", "jumped", "a  b", ""]
LABELS = np.array([1, 1, 1, 0, 0, 0, 0, 1])


def by_definition(s, t, lengths):
    """Pairs of places with equal substrings."""
    return sum(
        s[i : i + k] == t[j : j + k] for k in lengths for i in range(len(s) - k + 1) for j in range(len(t) - k + 1)
    )


@pytest.mark.parametrize("shorter", [True, False])
def test_values_are_those_of_the_definition(shorter):
    kernel = StringKernel(length=3, shorter=shorter, normalised=False)
    lengths = range(1 if shorter else 3, 4)
    expected = [[by_definition(s, t, lengths) for t in WORDS] for s in WORDS]
    np.testing.assert_array_equal(kernel(WORDS, WORDS), expected)


def test_a_normalised_kernel_is_one_for_equal_strings_and_zero_for_an_empty_one():
    K = StringKernel()(WORDS, WORDS)
    np.testing.assert_allclose(K.diagonal(), [1.0] * 7 + [0.0])
    assert np.linalg.eigvalsh(K).min() > -1e-12
    assert not StringKernel(length=9, shorter=False)(["ab"], ["c"]).any()


@pytest.mark.parametrize("form", [list, np.array, lambda words: Column.text("w", words), lambda w: Table.of({"w": w})])
def test_machines_take_columns_of_text(form):
    words, fresh = form(WORDS[:6]), form(["ringing", "kicked"])
    classes = SVC(kernel=StringKernel(), probability=True, random_state=0).fit(words, LABELS[:6])
    np.testing.assert_array_equal(classes.predict(fresh), [1, 0])
    given = SVC(kernel="precomputed").fit(StringKernel()(WORDS[:6], WORDS[:6]), LABELS[:6])
    expected = given.decision_function(StringKernel()(["ringing", "kicked"], WORDS[:6]))
    np.testing.assert_allclose(classes.decision_function(fresh), expected)
    assert SVR(kernel=StringKernel()).fit(words, LABELS[:6]).predict(fresh)[0] > 0.5
    assert OneClassSVM(kernel=StringKernel()).fit(words).predict(fresh).shape == (2,)


def test_a_machine_of_strings_is_saved(tmp_path):
    model = SVC(kernel=StringKernel(length=2)).fit(WORDS[:6], LABELS[:6])
    probus.save(model, tmp_path / "words.probus")
    loaded = probus.load(tmp_path / "words.probus")
    assert loaded.kernel == StringKernel(length=2)
    np.testing.assert_array_equal(loaded.decision_function(WORDS), model.decision_function(WORDS))


@pytest.mark.parametrize(
    ("X", "text"),
    [
        (["a", None], "values that are not strings.\n.*Replace missing strings"),
        (np.zeros((2, 2)), r"an array of shape \(2, 2\)"),
        (Table.of({"a": ["x", "y"], "b": ["u", "v"]}), "a table of 2 columns"),
    ],
)
def test_what_is_not_a_column_of_strings_is_refused(X, text):
    with pytest.raises(DataError, match=text):
        StringKernel()(X, X)


def test_substrings_have_a_length():
    with pytest.raises(DataError, match="length=0"):
        StringKernel(length=0)(["a"], ["a"])


def test_a_length_beyond_all_strings_takes_no_longer_than_that_of_the_longest():
    long, enough = StringKernel(length=10**12), StringKernel(length=6)
    np.testing.assert_array_equal(long(["abcabc", "abd"], ["cab"]), enough(["abcabc", "abd"], ["cab"]))
    assert not StringKernel(length=10**12, shorter=False)(["abc"], ["abc"]).any()


def test_substrings_that_would_not_fit_in_memory_are_refused():
    with pytest.raises(DataError, match=r"substrings of up to 1000000000000 characters have 1.7e\+11 characters"):
        StringKernel(length=10**12)(["a" * 10_000], ["b"])
