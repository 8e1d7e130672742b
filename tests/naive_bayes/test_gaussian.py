import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.naive_bayes as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import probus
from probus.errors import DataError
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.naive_bayes._posterior import CHUNK

rng = np.random.default_rng(1)
X = rng.normal(size=(120, 4)) * [1, 5, 0.1, 1]
y = np.array(["a", "b", "c"])[rng.integers(0, 3, 120)]
W = rng.uniform(0, 3, 120)


def assert_equal_fits(ours, theirs, rtol=1e-10):
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    for name in ("class_count_", "class_prior_", "theta_", "var_", "epsilon_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=rtol, atol=1e-300, err_msg=name)


sensible = st.floats(-1e6, 1e6).map(lambda v: round(v, 3))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_model_equals_scikit_learns(data):
    n, d = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 4))
    X = data.draw(arrays(float, (n, d), elements=sensible))
    y = data.draw(arrays(int, n, elements=st.integers(0, 2)))
    w = data.draw(st.none() | arrays(float, n, elements=st.sampled_from([0.5, 1.0, 2.0])))
    ours, theirs = GaussianNB().fit(X, y, w), peer.GaussianNB().fit(X, y, w)
    scale = np.abs(X).max() ** 2
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-10, atol=1e-13 * scale)
    np.testing.assert_array_equal(ours.class_count_, theirs.class_count_)


@pytest.mark.parametrize("weights", [None, W], ids=["unweighted", "weighted"])
def test_every_answer_equals_scikit_learns(weights):
    ours, theirs = GaussianNB().fit(X, y, weights), peer.GaussianNB().fit(X, y, weights)
    assert_equal_fits(ours, theirs)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for method in ("predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        np.testing.assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), rtol=1e-10)


def test_given_priors_are_used():
    priors = [0.2, 0.3, 0.5]
    ours, theirs = GaussianNB(priors=priors).fit(X, y), peer.GaussianNB(priors=priors).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize("offset", [1e8, -3e9])
def test_large_means_cost_no_digits_of_the_variance(offset):
    many = rng.normal(size=(5000, 3))
    label = rng.integers(0, 2, 5000)
    exact = peer.GaussianNB().fit(many + offset - offset, label)
    assert_equal_fits(GaussianNB().fit(many + offset, label), peer.GaussianNB().fit(many + offset, label))
    np.testing.assert_allclose(GaussianNB().fit(many + offset, label).var_, exact.var_, rtol=1e-10)


def test_a_column_that_drifts_over_the_rows_keeps_its_variance():
    drifting = np.arange(50_000.0)[:, None] * 1e3
    label = np.arange(50_000) % 2
    assert_equal_fits(GaussianNB().fit(drifting, label), peer.GaussianNB().fit(drifting, label))


def test_weights_equal_repetition():
    times = rng.integers(0, 4, len(X))
    weighted = GaussianNB().fit(X, y, sample_weight=times)
    repeated = GaussianNB().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.theta_, repeated.theta_, rtol=1e-12)
    # as in scikit-learn, the smoothing looks at the rows whatever they weigh
    np.testing.assert_allclose(weighted.var_ - weighted.epsilon_, repeated.var_ - repeated.epsilon_, rtol=1e-7)


def test_batches_equal_one_fit():
    batches = GaussianNB()
    for start in range(0, 120, 40):
        part = slice(start, start + 40)
        batches.partial_fit(X[part], y[part], classes=["a", "b", "c"])
    assert_equal_fits(batches, GaussianNB().fit(X, y))


def test_a_class_may_be_named_before_it_is_seen():
    model = GaussianNB().partial_fit(X[:40], np.where(y[:40] == "c", "a", y[:40]), classes=["a", "b", "c"])
    assert model.predict_proba(X)[:, 2].max() == 0.0
    assert set(model.partial_fit(X, y).predict(X)) == {"a", "b", "c"}


@pytest.fixture(scope="module")
def many_rows():
    data = np.random.default_rng(2)
    X = data.normal(size=(3 * CHUNK + 7, 40))
    return X, data.integers(0, 3, len(X)), data.uniform(0, 2, len(X))


def test_no_bit_depends_on_the_number_of_threads(many_rows, monkeypatch):
    X, label, w = many_rows
    fits = []
    for threads in (1, 3):
        monkeypatch.setattr("probus.naive_bayes._gaussian.thread_count", lambda *_, threads=threads: threads)
        monkeypatch.setattr("probus.naive_bayes._posterior.thread_count", lambda *_, threads=threads: threads)
        model = GaussianNB().fit(X, label, w)
        fits.append((model.theta_, model.var_, model.predict_proba(X)))
    for one, three in zip(*fits, strict=True):
        np.testing.assert_array_equal(one, three)


def test_many_rows_equal_scikit_learns(many_rows):
    X, label, w = many_rows
    ours, theirs = GaussianNB().fit(X, label, w), peer.GaussianNB().fit(X, label, w)
    assert_equal_fits(ours, theirs)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


@pytest.mark.parametrize("layout", [np.asfortranarray, read_only, lambda X: np.repeat(X, 2, axis=0)[::2]])
def test_the_layout_of_the_array_does_not_matter(layout):
    model = GaussianNB().fit(X, y)
    assert_equal_fits(GaussianNB().fit(layout(X), y), model)
    np.testing.assert_array_equal(model.predict_proba(layout(X)), model.predict_proba(X))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, probus.Table.of])
def test_frames_and_tables_are_taken(frame):
    data = frame({f"v{j}": X[:, j] for j in range(4)})
    np.testing.assert_array_equal(GaussianNB().fit(data, y).predict(data), GaussianNB().fit(X, y).predict(X))


def test_columns_of_a_table_are_matched_by_name():
    table = probus.Table.of({f"v{j}": X[:, j] for j in range(4)})
    model = GaussianNB().fit(table, y)
    np.testing.assert_array_equal(model.predict(table.select("v2", "v0", "v3", "v1")), model.predict(table))


def test_columns_that_never_vary_leave_the_priors():
    model = GaussianNB().fit(np.ones((4, 2)), [0, 0, 0, 1])
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0], [5.0, 0.0]]), [[0.75, 0.25]] * 2)


def test_one_class_is_learnt_without_complaint():
    np.testing.assert_array_equal(GaussianNB().fit(X, np.zeros(120)).predict_proba(X), np.ones((120, 1)))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GaussianNB(priors=[0.5, 0.5]), "Number of priors must match number of classes."),
        (GaussianNB(priors=[0.5, 0.5, 0.5]), "The sum of the priors should be 1."),
        (GaussianNB(priors=[-0.5, 1.0, 0.5]), "Priors must be non-negative."),
        (GaussianNB(var_smoothing=-1), "The 'var_smoothing' parameter of GaussianNB must be a float in the range"),
    ],
)
def test_wrong_parameters_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_labels_outside_the_classes_are_named():
    with pytest.raises(ValueError, match=r"The target label\(s\) \['c'\] in y do not exist in the initial classes"):
        GaussianNB().partial_fit(X, y, classes=["a", "b"])


def test_missing_values_are_an_error_with_a_hint():
    table = probus.Table.of({"v": [1.0, None, 2.0]})
    with pytest.raises(
        probus.DataError, match=r"does not accept missing values \(NaN\): 'v' \(numeric\)(.|\n)*tabular"
    ):
        GaussianNB().fit(table, [0, 1, 0])


@pytest.mark.parametrize("scale", [1e300, 1e160, 1e-160, 1e-300])
@pytest.mark.parametrize("model", [GaussianNB(), NaiveBayes(), NaiveBayes(numeric="kernel")], ids=repr)
def test_a_variance_that_no_double_holds_is_an_error(model, scale):
    X = scale * np.array([[1.0], [2.0], [-1.0], [-2.5]])
    with pytest.raises(DataError, match=r"column '(0|x0)' has values from .*outside the range of doubles(?s:.)*1e150"):
        model.fit(X, [0, 0, 1, 1])


@pytest.mark.parametrize("model", [GaussianNB(), NaiveBayes(), NaiveBayes(numeric="kernel")], ids=repr)
def test_values_far_from_all_classes_have_probabilities(model):
    model.fit([[1.0], [2.0], [-1.0], [-9.0]], [0, 0, 1, 1])  # the wider class is nearer in standard deviations
    np.testing.assert_array_equal(model.predict_proba([[1e300], [-1e300]]), [[0.0, 1.0], [0.0, 1.0]])
