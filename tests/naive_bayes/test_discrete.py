import numpy as np
import polars as pl
import pytest
import sklearn.naive_bayes as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from probus.naive_bayes import BernoulliNB, MultinomialNB

rng = np.random.default_rng(3)
X = rng.poisson(1.0, size=(90, 6))
y = rng.integers(0, 3, 90)
W = rng.uniform(0, 3, 90)
MODELS = [(MultinomialNB, peer.MultinomialNB), (BernoulliNB, peer.BernoulliNB)]
ATTRIBUTES = ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_")
both = pytest.mark.parametrize(("Ours", "Theirs"), MODELS)
ours_only = pytest.mark.parametrize("Ours", [MultinomialNB, BernoulliNB])


def assert_equal_models(ours, theirs, X):
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10, atol=1e-14, err_msg=name)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10)


@both
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_model_equals_scikit_learns(Ours, Theirs, data):
    n, d = data.draw(st.integers(1, 10)), data.draw(st.integers(1, 4))
    X = data.draw(arrays(int, (n, d), elements=st.integers(0, 5)))
    y = data.draw(arrays(int, n, elements=st.integers(0, 2)))
    w = data.draw(st.none() | arrays(float, n, elements=st.sampled_from([0.5, 1.0, 3.0])))
    parameters = {"alpha": data.draw(st.sampled_from([0.1, 1.0, 7])), "fit_prior": data.draw(st.booleans())}
    assert_equal_models(Ours(**parameters).fit(X, y, w), Theirs(**parameters).fit(X, y, w), X)


@both
@pytest.mark.parametrize("weights", [None, W], ids=["unweighted", "weighted"])
def test_sparse_input_equals_dense(Ours, Theirs, weights):
    sparse = csr_array(X)
    assert_equal_models(Ours().fit(sparse, y, weights), Theirs().fit(X, y, weights), X)
    np.testing.assert_allclose(Ours().fit(X, y).predict_proba(sparse), Ours().fit(X, y).predict_proba(X), rtol=1e-12)


@ours_only
def test_weights_equal_repetition(Ours):
    times = rng.integers(0, 4, len(X))
    repeated = Ours().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_equal_models(Ours().fit(X, y, times), repeated, X)


@ours_only
def test_batches_equal_one_fit(Ours):
    batches = Ours()
    for start in range(0, 90, 30):
        part = slice(start, start + 30)
        batches.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert_equal_models(batches, Ours().fit(X, y), X)


@ours_only
def test_a_failed_fit_leaves_the_classes_as_they_were(Ours):
    model = Ours().fit(X, y)
    with pytest.raises(ValueError):
        model.fit(X, y[:3])
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])


@ours_only
def test_given_priors_are_used(Ours):
    model = Ours(class_prior=[0.2, 0.3, 0.5]).fit(X, y)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.2, 0.3, 0.5])


@ours_only
def test_each_column_may_have_its_own_alpha(Ours):
    alpha = np.arange(1.0, 7.0)
    model = Ours(alpha=alpha).fit(X, y)
    alone = Ours(alpha=3.0).fit(X, y)
    if Ours is BernoulliNB:  # its columns do not share a total
        np.testing.assert_allclose(model.feature_log_prob_[:, 2], alone.feature_log_prob_[:, 2])
    else:
        np.testing.assert_allclose(model.feature_log_prob_, peer.MultinomialNB(alpha=alpha).fit(X, y).feature_log_prob_)


@pytest.mark.parametrize("threshold", [None, 0.0, 1.5])
def test_values_above_the_threshold_are_present(threshold):
    data = np.minimum(X, 1) if threshold is None else X
    assert_equal_models(
        BernoulliNB(binarize=threshold).fit(data, y), peer.BernoulliNB(binarize=threshold).fit(data, y), data
    )


def test_frames_are_taken():
    frame = pl.DataFrame({f"w{j}": X[:, j] for j in range(6)})
    np.testing.assert_array_equal(MultinomialNB().fit(frame, y).predict(frame), MultinomialNB().fit(X, y).predict(X))


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match=r"Negative values in data passed to MultinomialNB \(input X\)"):
        MultinomialNB().fit(-X, y)


@ours_only
def test_a_tiny_alpha_is_raised_unless_forced(Ours):
    with pytest.warns(UserWarning, match=r"setting alpha = 1\.0e-10\. Use `force_alpha=True`"):
        Ours(alpha=0.0, force_alpha=False).fit(X, y)


@ours_only
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1}, "The 'alpha' parameter of .* must be a float in the range"),
        (
            {"alpha": [1.0, 2.0]},
            "When alpha is an array, it should contains `n_features`. Got 2 elements instead of 6.",
        ),
        ({"alpha": [1.0, -2.0, 1, 1, 1, 1]}, "All values in alpha must be greater than 0."),
        ({"class_prior": [0.5, 0.5]}, "Number of priors must match number of classes."),
        ({"fit_prior": 3}, "The 'fit_prior' parameter of .* must be an instance of 'bool'"),
    ],
)
def test_wrong_parameters_are_named(Ours, parameters, message):
    with pytest.raises(ValueError, match=message):
        Ours(**parameters).fit(X, y)


@ours_only
def test_the_first_batch_must_name_the_classes(Ours):
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        Ours().partial_fit(X, y)


@ours_only
def test_labels_outside_the_classes_are_named(Ours):
    with pytest.raises(
        ValueError, match=r"The target label\(s\) \[2\] in y do not exist in the initial classes \[0 1\]"
    ):
        Ours().partial_fit(X, y, classes=[0, 1])
