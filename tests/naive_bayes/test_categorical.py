import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.naive_bayes as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import probus
from probus.naive_bayes import CategoricalNB
from probus.naive_bayes._posterior import CHUNK

rng = np.random.default_rng(4)
X = rng.integers(0, [2, 5, 3, 9], size=(150, 4))
y = rng.integers(0, 3, 150)
W = rng.uniform(0, 3, 150)


def assert_equal_models(ours, theirs, X):
    np.testing.assert_array_equal(ours.n_categories_, theirs.n_categories_)
    for name in ("class_count_", "class_log_prior_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10, err_msg=name)
    for name in ("category_count_", "feature_log_prob_"):
        for mine, other in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-14, err_msg=name)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10)


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_the_model_equals_scikit_learns(data):
    n, d = data.draw(st.integers(1, 10)), data.draw(st.integers(1, 4))
    X = data.draw(arrays(int, (n, d), elements=st.integers(0, 6)))
    y = data.draw(arrays(int, n, elements=st.integers(0, 2)))
    w = data.draw(st.none() | arrays(float, n, elements=st.sampled_from([0.5, 1.0, 3.0])))
    parameters = {
        "alpha": data.draw(st.sampled_from([0.1, 1.0, 7])),
        "fit_prior": data.draw(st.booleans()),
        "min_categories": data.draw(st.sampled_from([None, 4])),
    }
    assert_equal_models(CategoricalNB(**parameters).fit(X, y, w), peer.CategoricalNB(**parameters).fit(X, y, w), X)


def test_weights_equal_repetition():
    shown = np.vstack([X, X.max(axis=0)])  # so that both show every category
    label, times = np.append(y, 0), np.append(rng.integers(0, 4, len(X)), 1)
    repeated = CategoricalNB().fit(np.repeat(shown, times, axis=0), np.repeat(label, times))
    assert_equal_models(CategoricalNB().fit(shown, label, times), repeated, X)


def test_batches_equal_one_fit_though_later_ones_bring_new_categories():
    order = np.argsort(X[:, 3], kind="stable")
    batches = CategoricalNB()
    for part in np.array_split(order, 4):
        batches.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert_equal_models(batches, CategoricalNB().fit(X, y), X)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.float64])
def test_the_width_of_the_codes_does_not_matter(dtype):
    narrow = X.astype(dtype)
    assert_equal_models(CategoricalNB().fit(narrow, y), CategoricalNB().fit(X, y), X)
    np.testing.assert_array_equal(CategoricalNB().fit(X, y).predict(narrow), CategoricalNB().fit(X, y).predict(X))


def test_the_order_of_the_array_does_not_matter():
    assert_equal_models(CategoricalNB().fit(np.asfortranarray(X), y), CategoricalNB().fit(X, y), np.asfortranarray(X))


def test_no_bit_depends_on_the_number_of_threads(monkeypatch):
    many = rng.integers(0, 9, (2 * CHUNK + 5, 30))
    label, w = rng.integers(0, 3, len(many)), rng.uniform(0, 2, len(many))
    fits = []
    for threads in (1, 3):
        monkeypatch.setattr("probus.naive_bayes._categorical.thread_count", lambda *_, threads=threads: threads)
        monkeypatch.setattr("probus.naive_bayes._posterior.thread_count", lambda *_, threads=threads: threads)
        model = CategoricalNB().fit(many, label, w)
        fits.append((model.counts_, model.predict_proba(many)))
    for one, three in zip(*fits, strict=True):
        np.testing.assert_array_equal(one, three)
    assert_equal_models(model, peer.CategoricalNB().fit(many, label, w), many[:1000])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict, probus.Table.of])
def test_levels_of_a_frame_are_matched_by_name(frame):
    cells = {"size": ["S", "M", "L", "S"], "colour": ["red", "blue", "red", "red"]}
    model = CategoricalNB().fit(frame(cells), [0, 1, 1, 0])
    swapped = frame({"colour": cells["colour"][::-1], "size": cells["size"][::-1]})
    np.testing.assert_array_equal(model.predict_proba(swapped), model.predict_proba(frame(cells))[::-1])


def test_a_level_that_does_not_occur_has_a_category():
    table = probus.Table.of({"size": ["S", "M", "S"]}, kinds={"size": ["S", "M", "L"]})
    model = CategoricalNB().fit(table, [0, 1, 0])
    np.testing.assert_array_equal(model.n_categories_, [3])
    large = probus.Table.of({"size": ["L"]}, kinds={"size": ["S", "M", "L"]})
    np.testing.assert_allclose(model.predict_proba(large), [[(2 / 3) / 5, (1 / 3) / 4] / np.float64(13 / 60)])


def test_a_fit_on_an_array_forgets_the_levels_of_a_frame():
    model = CategoricalNB().fit(pd.DataFrame({"size": ["S", "M"]}), [0, 1])
    assert not hasattr(model.fit([[0], [1]], [0, 1]), "schema_")


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = CategoricalNB().fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError):
        model.fit(-X, np.ones(150))
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_negative_codes_are_refused():
    for call in (lambda: CategoricalNB().fit(-X, y), lambda: CategoricalNB().fit(X, y).predict(-X)):
        with pytest.raises(ValueError, match=r"Negative values in data passed to CategoricalNB \(input X\)"):
            call()


def test_unknown_categories_are_named_and_can_be_allowed():
    with pytest.raises(probus.DataError, match=r"column 0 holds 7, fitted with 0 to 1(.|\n)*Pass min_categories"):
        CategoricalNB().fit(X, y).predict([[7, 0, 0, 0]])
    assert CategoricalNB(min_categories=10).fit(X, y).predict_proba([[7, 0, 0, 0]]).shape == (1, 3)


@pytest.mark.parametrize(
    ("least", "message"),
    [
        ([[3, 2], [2, 4]], r"'min_categories' should have shape \(4,\) when an array-like is provided. Got \(2, 2\)"),
        ([1.5, 1, 1, 1], "'min_categories' should have integral type. Got float64 instead."),
        (0, "The 'min_categories' parameter of CategoricalNB must be"),
    ],
)
def test_a_wrong_number_of_categories_is_named(least, message):
    with pytest.raises(ValueError, match=message):
        CategoricalNB(min_categories=least).fit(X, y)


def test_loaded_tables_must_fit_the_columns():
    model = CategoricalNB().fit(X, y)
    model.check_fitted_state()
    for wrong in ([2, 5, 3, 8], [2**62, 2**62, 2**62, 2**62 + 19]):
        model.n_categories_ = np.array(wrong)
        with pytest.raises(probus.ModelFileError, match="numbers that add up to 19 categories"):
            model.check_fitted_state()
