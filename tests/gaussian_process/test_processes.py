"""Gaussian processes: scikit-learn's results on tables, intervals, kernels as text, saving."""

import numpy as np
import pytest
import sklearn.gaussian_process as peer
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.gaussian_process.kernels import RBF, GenericKernelMixin, Kernel, StationaryKernelMixin, WhiteKernel

import probus
from probus import DataError, Table
from probus.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor, kernels
from probus.gaussian_process._kernel_text import kernel_of

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
TEXT = "1.0 * RBF(1.0) + WhiteKernel(0.1)"


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 5.0, size=(30, 2))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=30)


@pytest.mark.parametrize("how", [{}, {"normalize_y": True, "alpha": 0.05}, {"optimizer": None, "alpha": 0.1}])
def test_regressions_are_those_of_scikit_learn(rows, how):
    X, y = rows
    ours, theirs = (
        cls(1.0 * RBF(1.0) + WhiteKernel(0.1), random_state=0, **how).fit(X, y)
        for cls in (GaussianProcessRegressor, peer.GaussianProcessRegressor)
    )
    for found, expected in zip(ours.predict(X, return_std=True), theirs.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta)
    np.testing.assert_allclose(ours.sample_y(X[:3]), theirs.sample_y(X[:3]), rtol=1e-4, atol=1e-6)
    assert ours.log_marginal_likelihood() == pytest.approx(theirs.log_marginal_likelihood())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
def test_classifications_are_those_of_scikit_learn(n_classes, multi_class):
    X, y = load_iris(return_X_y=True)
    X, y = X[: 50 * n_classes : 3, 2:], y[: 50 * n_classes : 3]
    ours, theirs = (
        cls(1.0 * RBF(1.0), multi_class=multi_class).fit(X, y)
        for cls in (GaussianProcessClassifier, peer.GaussianProcessClassifier)
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta)
    if n_classes == 2 or multi_class == "one_vs_rest":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-4, atol=1e-6)
    else:
        with pytest.raises(ValueError, match="Use one_vs_rest mode instead"):
            ours.predict_proba(X)


def test_intervals_are_those_of_the_normal_distribution_and_cover(rows):
    X, y = rows
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.04, optimizer=None, normalize_y=True).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    low, high = model.predict_interval(X, 0.9, observations=False)
    np.testing.assert_allclose(high - mean, norm.ppf(0.95) * std)
    np.testing.assert_allclose(mean - low, norm.ppf(0.95) * std)
    wide = model.predict_interval(X, 0.9)
    np.testing.assert_allclose(wide[1] - mean, norm.ppf(0.95) * np.sqrt(std**2 + 0.04 * y.std() ** 2))
    rng = np.random.default_rng(1)
    grid = np.linspace(0.0, 5.0, 120)[:, None]
    drawn = GaussianProcessRegressor(RBF(1.0), optimizer=None).sample_y(grid, 40, random_state=2)
    noisy = drawn + 0.2 * rng.normal(size=drawn.shape)
    covered = []
    for k in range(40):
        fit = GaussianProcessRegressor(RBF(1.0), alpha=0.04, optimizer=None).fit(grid[::4], noisy[::4, k])
        low, high = fit.predict_interval(grid[2::4], 0.9)
        covered.append(((noisy[2::4, k] > low) & (noisy[2::4, k] < high)).mean())
    assert np.mean(covered) == pytest.approx(0.9, abs=0.02)


def test_tables_are_matched_by_name(rows):
    X, y = rows
    table = Table.of({"a": X[:, 0], "b": X[:, 1]})
    model = GaussianProcessRegressor(TEXT, optimizer=None).fit(table, y)
    np.testing.assert_array_equal(model.predict(Table.of({"b": X[:, 1], "a": X[:, 0]})), model.predict(table))


def test_kernels_are_read_as_they_are_displayed():
    kernel = 2.0 * kernels.Matern(length_scale=[1.0, 2.0], nu=1.5) + kernels.WhiteKernel(0.5) ** 2
    assert kernel_of(str(kernel)).get_params().keys() == kernel.get_params().keys()
    bounded = kernel_of("RBF(1.0, length_scale_bounds=(0.1, 10.0))")
    assert bounded == RBF(1.0, (0.1, 10.0))
    assert kernel_of(None) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBF('a')", r"kernel RBF: length_scale='a'\.\n  Expected positive numbers"),
        ("RBF(-1)", "kernel RBF: length_scale=-1"),
        ("RBF() + WhiteKernel(0)", "kernel Sum: k2__noise_level=0"),
        ("RBF() ** 'a'", r"kernel Exponentiation: exponent='a'\.\n  Expected finite numbers"),
        (RBF([1.0, np.nan]), "kernel RBF: length_scale=.*nan"),
        (RBF(0.0, "fixed"), r"kernel RBF: length_scale=0\.0"),
        ("2 * Matern(nu=0) + WhiteKernel()", "k1__k2__nu=0.\n  Expected a positive number, or inf"),
        ("PairwiseKernel(metric=nope)", "metric='nope'.\n  Expected one of 'additive_chi2'"),
    ],
)
@pytest.mark.parametrize("cls", [GaussianProcessClassifier, GaussianProcessRegressor])
def test_parameters_of_kernels_are_checked(cls, text, message):
    with pytest.raises(DataError, match=message):
        cls(text).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_the_text_of_a_pairwise_kernel_is_read():
    kernel = kernels.PairwiseKernel(gamma=0.5, metric="laplacian")
    assert kernel_of(str(kernel)) == kernel
    assert kernel_of("DotProduct(0.0, 'fixed') ** 2").kernel.sigma_0 == 0.0


def test_kernels_are_a_module():
    from probus.gaussian_process.kernels import RBF as ours

    assert ours is RBF
    every = {
        name for name, thing in vars(peer.kernels).items() if isinstance(thing, type) and issubclass(thing, Kernel)
    }
    assert every <= set(kernels.__all__)


@pytest.mark.parametrize(
    "text", ["RBF(", "os.system('ls')", "RBF(1.0) - RBF(2.0)", "3.0", "__import__('os')", "RBF(x)"]
)
def test_other_text_is_refused_and_not_run(text):
    with pytest.raises(DataError, match=r"cannot be read.*\n.*WhiteKernel"):
        kernel_of(text)


@pytest.mark.parametrize("scale", [1.0, 0.3, 0.7, 1.9])
def test_a_process_that_is_kept_equals_the_one_computed_again(rows, scale):
    """The logarithm of a parameter, which is stored, may round: then the process of the fit is not kept."""
    X, y = rows
    for optimizer in (None, "fmin_l_bfgs_b"):
        number = GaussianProcessRegressor(RBF(scale), alpha=0.1, optimizer=optimizer).fit(X, y)
        np.testing.assert_array_equal(number._rebuilt().predict(X), number.predict(X))
        classes = GaussianProcessClassifier(RBF(scale), optimizer=optimizer).fit(X, np.digitize(y, [-0.5, 0.5]))
        np.testing.assert_array_equal(classes._rebuilt().predict_proba(X), classes.predict_proba(X))


def test_a_saved_process_is_computed_again(rows, tmp_path):
    X, y = rows
    for model, target in ((GaussianProcessRegressor(TEXT), y), (GaussianProcessClassifier("1.0 * RBF(1.0)"), y > 1.0)):
        probus.save(model.fit(X, target), tmp_path / "model.probus")
        loaded = probus.load(tmp_path / "model.probus")
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        assert str(loaded.kernel_) == str(model.kernel_)
    with pytest.raises(probus.ModelFileError, match="kernel"):
        probus.save(GaussianProcessRegressor(RBF(1.0)).fit(X, y), tmp_path / "model.probus")


class _SameLetters(GenericKernelMixin, StationaryKernelMixin, Kernel):
    """The number of letters that two strings share."""

    def __init__(self):
        pass

    def __call__(self, X, Y=None, eval_gradient=False):
        K = np.array([[float(len(set(a) & set(b))) for b in (X if Y is None else Y)] for a in X])
        return (K, np.empty((*K.shape, 0))) if eval_gradient else K

    def diag(self, X):
        return np.array([float(len(set(a))) for a in X])


def test_kernels_of_strings_take_strings():
    words, y = ["abc", "abd", "xyz", "xyw"], np.array([1.0, 1.1, -1.0, -1.1])
    assert GaussianProcessRegressor(_SameLetters(), alpha=0.1).fit(words, y).predict(["abx"])[0] > 0.0
    assert GaussianProcessClassifier(_SameLetters()).fit(words, y > 0).predict(["xyz"])[0] == np.False_


def test_what_makes_no_sense_is_refused(rows):
    X, y = rows
    model = GaussianProcessRegressor(RBF(1.0), alpha=np.full(30, 0.1), optimizer=None).fit(X, y)
    with pytest.raises(DataError, match="Pass observations=False"):
        model.predict_interval(X)
    with pytest.raises(DataError, match=r"level=1\.5"):
        model.predict_interval(X, 1.5)
    with pytest.raises(DataError, match="got 1 class"):
        GaussianProcessClassifier().fit(X, np.ones(30))


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9*RBF()", "RBF()**9**9**9", "[1.0]*10**10*RBF()", "(" * 5000 + "RBF()" + ")" * 5000,
        "-" * 50_000 + "1*RBF()", "10**400*RBF()", "'\ud800'*RBF()", "RBF(\x00)",
    ],
)  # fmt: skip
def test_text_without_an_end_is_refused_before_it_is_computed(text):
    with pytest.raises(DataError):
        kernel_of(text)


def test_kernels_of_too_many_parts_are_refused():
    pairs = ["RBF()"] * 64
    while len(pairs) > 1:
        pairs = [f"({a} + {b})" for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
    with pytest.raises(DataError, match=r"a kernel of 1799 kernels and operators.\n.*at most 100 kernels in 15"):
        kernel_of("+".join(["RBF()"] * 900))
    with pytest.raises(DataError, match="a kernel of more than 100 kernels"):
        kernel_of(pairs[0])
    with pytest.raises(DataError, match=r"joined in more than 15 levels.\n.*\(a \+ b\) \+ \(c \+ d\)"):
        kernel_of(sum([RBF() for _ in range(20)], RBF()))
    with pytest.raises(DataError, match="a kernel of 100001 characters"):
        kernel_of("1" * 100_001)


@pytest.mark.parametrize("text", ["9**9**9*RBF(1.0)", "+".join(["RBF()"] * 900), "RBF(1.0)", "((RBF"])
def test_a_forged_file_with_such_a_kernel_is_refused(rows, tmp_path, text):
    for model in (GaussianProcessRegressor(TEXT), GaussianProcessClassifier(TEXT)):
        fitted = model.fit(rows[0], rows[1] > 1.0)
        fitted.kernel = text
        probus.save(fitted, tmp_path / "forged.probus")
        with pytest.raises(probus.ModelFileError, match="its kernel"):
            probus.load(tmp_path / "forged.probus")
