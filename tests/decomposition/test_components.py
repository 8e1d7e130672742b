"""Principal components: scikit-learn, the definition, and many digits; how many there are."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition

import probus
from probus import DataError
from probus.decomposition import PCA, IncrementalPCA, choose_components, plot_loadings
from probus.decomposition import _component_choice as component_choice

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(120, 3)) @ RNG.normal(size=(3, 6)) * 3 + RNG.normal(size=(120, 6)) + 50


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "randomized", "arpack"])
@pytest.mark.parametrize("whiten", [False, True])
def test_every_solver_agrees_with_scikit_learn(solver, whiten):
    ours = PCA(4, svd_solver=solver, whiten=whiten, iterated_power=12, random_state=0).fit(ROWS)
    theirs = decomposition.PCA(4, svd_solver="full", whiten=whiten).fit(ROWS)
    for name in (
        "components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_",
        "noise_variance_",
    ):  # fmt: skip
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(ours.transform(ROWS), theirs.transform(ROWS), atol=1e-6)
    np.testing.assert_allclose(
        ours.inverse_transform(ours.transform(ROWS)), theirs.inverse_transform(theirs.transform(ROWS))
    )
    theirs = decomposition.PCA(4, svd_solver="full").fit(ROWS)  # whose covariance is another when whitened
    np.testing.assert_allclose(ours.score_samples(ROWS), theirs.score_samples(ROWS), rtol=1e-6)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("wanted", [None, 2, 0.9, "mle"])
def test_the_number_of_components_is_scikit_learns(wanted):
    for rows in (ROWS, ROWS[:5]) if wanted != "mle" else (ROWS,):
        assert (
            PCA(wanted).fit(rows).n_components_ == decomposition.PCA(wanted, svd_solver="full").fit(rows).n_components_
        )
    assert PCA("parallel").fit(ROWS * [1, 10, 100, 1, 1, 1e-3]).n_components_ == choose_components(ROWS).parallel == 2


def test_the_iterative_solver_finds_all_components_but_one():
    ours, theirs = (module.PCA(svd_solver="arpack").fit(ROWS) for module in (probus.decomposition, decomposition))
    assert ours.n_components_ == theirs.n_components_ == 5
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_)


@pytest.mark.parametrize("as_given", [np.asarray, sparse.csr_matrix])
def test_by_default_there_are_as_many_components_as_rows_where_columns_are_more(as_given):
    X = np.random.default_rng(0).normal(size=(6, 15))
    ours, theirs = PCA(svd_solver="covariance_eigh").fit(as_given(X)), decomposition.PCA(svd_solver="full").fit(X)
    assert ours.n_components_ == theirs.n_components_ == 6
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, atol=1e-12)
    np.testing.assert_allclose(ours.transform(X)[:, :5], theirs.transform(X)[:, :5], atol=1e-10)


def test_a_mean_far_from_zero_costs_no_digits():
    """scikit-learn's covariance loses all digits here."""
    X = RNG.normal(size=(3000, 3)) * [1.0, 0.5, 0.1]
    near, far = PCA().fit(X), PCA().fit(X + 1e7)
    assert far.explained_variance_ == pytest.approx(near.explained_variance_, rel=1e-6)


def test_sparse_matrices_are_not_made_dense():
    X = sparse.random(300, 40, 0.1, random_state=0, format="csr")
    for solver in ("auto", "arpack"):
        found = PCA(3, svd_solver=solver, random_state=0).fit(X)
        expected = decomposition.PCA(3, svd_solver="full").fit(X.toarray())
        np.testing.assert_allclose(found.explained_variance_ratio_, expected.explained_variance_ratio_, rtol=1e-8)
        np.testing.assert_allclose(found.transform(X), expected.transform(X.toarray()), atol=1e-8)


def test_batches_give_the_components_of_all_rows():
    exact = PCA().fit(ROWS)
    for size in (1, 7, 50, 500):
        model = IncrementalPCA(batch_size=size).fit(ROWS)
        assert model.explained_variance_ == pytest.approx(exact.explained_variance_)
        np.testing.assert_allclose(model.components_, exact.components_, atol=1e-8)
    model = IncrementalPCA(2)
    for part in np.array_split(ROWS, 4):
        model.partial_fit(part)
    assert model.n_samples_seen_ == 120
    assert model.var_ == pytest.approx(ROWS.var(axis=0))
    with pytest.raises(DataError, match="n_components=5 must be less or equal to the batch number of samples 3"):
        IncrementalPCA(5).partial_fit(ROWS[:3])


def test_batches_lose_no_variance_where_those_of_scikit_learn_do():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 30)) @ rng.normal(size=(30, 30)) + 10.0
    explained = [
        np.square((X - X.mean(axis=0)) @ model.fit(X).components_.T).sum()
        for model in (PCA(3), IncrementalPCA(3), decomposition.IncrementalPCA(3))
    ]
    assert explained[1] == pytest.approx(explained[0], rel=1e-12)
    assert explained[2] < 0.999 * explained[0]


@pytest.mark.parametrize(("options", "text"), [
    ({"n_components": 9}, r"between 0 and min\(n_samples, n_features\)=6 with svd_solver='covariance_eigh'.\n"),
    ({"n_components": 9, "svd_solver": "randomized"}, "n_components=9 must be between 1 and"),
    ({"n_components": 6, "svd_solver": "arpack"}, "strictly less than min"),
])  # fmt: skip
def test_too_many_components(options, text):
    with pytest.raises(DataError, match=text):
        PCA(**options).fit(ROWS)


def test_not_finite_values_are_named_although_they_are_looked_for_last():
    broken = ROWS.copy()
    broken[3, 2] = np.nan
    with pytest.raises(DataError, match="Input X contains NaN"):
        PCA().fit(broken)


def test_files_and_names(tmp_path):
    model = PCA(2).fit({f"c{j}": column for j, column in enumerate(ROWS.T)})
    probus.save(model, tmp_path / "model.probus")
    loaded = probus.load(tmp_path / "model.probus")
    np.testing.assert_array_equal(loaded.components_, model.components_)
    assert loaded.get_feature_names_out().tolist() == ["pca0", "pca1"]
    assert loaded.loadings_ == pytest.approx(model.components_.T * np.sqrt(model.explained_variance_))


@pytest.mark.slow
def test_parallel_analysis_finds_components_and_none_in_noise():
    rng = np.random.default_rng(1)
    noise = [choose_components(rng.normal(size=(100, 8)), random_state=i).parallel for i in range(60)]
    assert np.mean(np.array(noise) > 0) < 0.15  # 5 % are expected
    for k in (1, 3):
        X = rng.normal(size=(200, k)) @ rng.normal(size=(k, 12)) * 2 + rng.normal(size=(200, 12))
        assert choose_components(X).parallel == k
    wide = choose_components(rng.normal(size=(20, 30)))
    assert wide.random.sum() > 0


def test_random_variances_are_those_of_random_rows():
    rng = np.random.default_rng(2)
    simulated = [np.linalg.eigvalsh(np.corrcoef(rng.normal(size=(50, 5)).T))[::-1] for _ in range(400)]
    choice = choose_components(rng.normal(size=(50, 5)))
    assert choice.random == pytest.approx(np.quantile(simulated, 0.95, axis=0), abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.standard_t(2.2, (80, 6)),
        lambda rng: np.exp(1.2 * rng.normal(size=(80, 6))),
        lambda rng: rng.random((80, 6)) < np.repeat([0.04, 0.3], 3),
    ],
    ids=["heavy tails", "skewed", "rare"],
)
def test_unrelated_columns_of_any_distribution_have_components_in_5_percent_of_tables(draw):
    rng = np.random.default_rng(11)
    found = [choose_components(draw(rng).astype(float), random_state=i).parallel > 0 for i in range(200)]
    assert 0.01 < np.mean(found) < 0.1  # 5 %, three standard errors


def test_chance_is_that_of_permuted_columns():
    rng = np.random.default_rng(5)
    X = rng.standard_t(2.5, (60, 4))
    choice = choose_components(X, random_state=3)
    largest = [np.linalg.eigvalsh(np.corrcoef(rng.permuted(X, axis=0).T))[-1] for _ in range(1000)]
    assert np.mean(np.array(largest) > choice.random[0]) == pytest.approx(0.05, abs=0.03)


def test_many_rows_are_compared_with_normal_columns_unless_tails_are_heavy(monkeypatch):
    monkeypatch.setattr(component_choice, "_MANY_CELLS", 1000)
    drawn = []
    wishart = component_choice._wishart_variances
    monkeypatch.setattr(component_choice, "_wishart_variances", lambda *how: (drawn.append(how[0]), wishart(*how))[1])
    rng = np.random.default_rng(5)
    X = rng.random((800, 5))
    by_normal = choose_components(X).random
    monkeypatch.setattr(component_choice, "_MANY_CELLS", 10_000)
    np.testing.assert_allclose(by_normal, choose_components(X).random, atol=0.02)
    choose_components(rng.standard_t(1.5, (3000, 5)))
    assert drawn == [800]


def test_choice_and_loadings_are_displayed():
    choice = choose_components({f"c{j}": column for j, column in enumerate(ROWS.T)})
    assert "2 components of 6 above chance" in repr(choice)
    assert "<svg" in choice._repr_html_()
    assert choice.to_frame().columns == ["component", "variance", "random", "cumulative"]
    assert "component 2" in plot_loadings(PCA().fit(ROWS)).get_ylabel()
    with pytest.raises(DataError, match=r"components \(0, 7\) of 6"):
        plot_loadings(PCA().fit(ROWS), (0, 7))
    with pytest.raises(DataError, match="level=95"):
        choose_components(ROWS, level=95)
    with pytest.raises(DataError, match="columns that vary"):
        choose_components(np.ones((9, 2)))


@pytest.mark.parametrize("seed", range(20))
def test_the_most_likely_number_of_components_is_scikit_learns(seed):
    random = np.random.default_rng(seed)
    d, k = random.integers(2, 12), random.integers(1, 6)
    rows = random.normal(size=(100, k)) @ random.normal(size=(k, d)) + random.normal(size=(100, d))
    theirs = decomposition.PCA("mle", svd_solver="full").fit(rows)
    assert PCA("mle").fit(rows).n_components_ == theirs.n_components_
