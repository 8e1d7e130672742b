"""Autoencoders: PCA's plane, curves, binary columns, denoising, files, and transforming without PyTorch."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import probus
from probus.datasets import iris, penguins
from probus.errors import DataError, ModelFileError
from probus.linear_model import LogisticRegression
from probus.neural_network import Autoencoder
from probus.parameters import ParameterError

NO_TORCH = """
import sys
class Missing:
    def find_spec(self, name, *others):
        if name.partition(".")[0] == "torch":
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
"""


def plane(n=150, seed=0):
    """Rows near a plane in five dimensions."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) * [2, 1] @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(n, 5)) + 7


def quick(*args, **settings):
    return Autoencoder(*args, random_state=0, device="cpu", **settings)


@pytest.mark.slow
def test_a_linear_one_is_pca():
    X = plane()
    code = quick(2, hidden=(), activation="identity", max_iter=100).fit(X)
    pca = PCA(2).fit(X)
    basis = np.linalg.qr(code.weights_["linear.1.weight"])[0]
    np.testing.assert_allclose(basis @ basis.T, pca.components_.T @ pca.components_, atol=0.01)
    np.testing.assert_allclose(code.reconstruct(X), pca.inverse_transform(pca.transform(X)), atol=0.05)
    assert code.score(X) == pytest.approx(pca.explained_variance_ratio_.sum(), abs=1e-3)


@pytest.mark.slow
def test_a_curve_has_one_number_where_a_line_has_not():
    """Two thirds of a circle, on rows that were not trained on."""
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, 1.3 * np.pi, 400)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.02 * rng.normal(size=(400, 2))
    code, line = quick(1).fit(X[:300]), PCA(1).fit(X[:300])
    away = np.square(X[300:] - line.inverse_transform(line.transform(X[300:]))).sum(axis=1).mean()
    assert np.square(X[300:] - code.reconstruct(X[300:])).sum(axis=1).mean() < 0.1 * away
    assert abs(spearmanr(code.transform(X[300:]).ravel(), angle[300:]).statistic) > 0.95  # the number follows the angle


def patterns(n=200, seed=0):
    """Rows of eight binary columns: one of two patterns, with some numbers turned."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(2, size=n)
    clean = np.where(kind[:, None], [1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0, 1]).astype(float)
    return np.abs(clean - (rng.random(clean.shape) < 0.05)), clean


def test_binary_columns_have_cross_entropy():
    X, clean = patterns()
    code = quick(1, hidden=(), activation="sigmoid", max_iter=150, learning_rate_init=0.03).fit(X)
    assert code.cross_entropy_
    probabilities = code.reconstruct(X)
    assert 0 <= probabilities.min() <= probabilities.max() <= 1
    assert ((probabilities > 0.5) == clean).mean() > 0.95
    loss = -(X * np.log(probabilities) + (1 - X) * np.log(1 - probabilities)).sum(axis=1).mean()
    assert loss == pytest.approx(code.history_.loss[-1], rel=0.02)
    assert not quick(1, loss="squared", max_iter=1).fit(X).cross_entropy_


@pytest.mark.slow
@pytest.mark.parametrize("corruption", ["masking", "gaussian"])
def test_a_denoising_one_repairs_corrupted_rows(corruption):
    """Better than one that was trained on the rows as they are; on new rows and new noise."""
    X, new = np.split(plane(600), [400])
    rng = np.random.default_rng(5)
    scale = np.sqrt(np.square(X - X.mean(axis=0)).mean())
    noisy = (
        np.where(rng.random(new.shape) < 0.3, X.mean(axis=0), new)
        if corruption == "masking"
        else new + 0.5 * scale * rng.normal(size=new.shape)
    )
    level = 0.3 if corruption == "masking" else 0.5
    errors = [
        np.square(quick(3, max_iter=150, **settings).fit(X).reconstruct(noisy) - new).mean()
        for settings in ({}, {"corruption": corruption, "corruption_level": level})
    ]
    assert errors[1] < 0.8 * errors[0] < np.square(noisy - new).mean()


def test_numpy_computes_what_pytorch_computes():
    X = plane()
    for activation in ("elu", "tanh", "selu", "gelu", "softplus", "mish", "silu", "softsign", "leaky_relu", "sigmoid"):
        code = quick(2, hidden=(5,), activation=activation, max_iter=2).fit(X)
        with torch.no_grad():
            output = code._module()(torch.tensor((X - code.mean_) / code.scale_, dtype=torch.float32)).numpy()
        np.testing.assert_allclose(code.reconstruct(X), output * code.scale_ + code.mean_, atol=1e-4)
        np.testing.assert_allclose(code.inverse_transform(code.transform(X)), code.reconstruct(X))


@pytest.mark.slow
def test_a_saved_one_transforms_without_pytorch(tmp_path):
    X = plane(40)
    code = quick(2, max_iter=3).fit(X)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "Z.npy", code.transform(X))
    code.save(tmp_path / "code.probus")
    check = (
        f"{NO_TORCH}import numpy as np, probus\n"
        "from probus.neural_network import Autoencoder\n"
        "code, X = probus.load('code.probus'), np.load('X.npy')\n"
        "assert np.array_equal(code.transform(X), np.load('Z.npy'))\n"
        "code.reconstruct(X)\n"
        "try:\n    Autoencoder().fit(X)\n"
        "except Exception as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", check], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert "an autoencoder needs PyTorch" in done.stdout
    assert "pip install 'probus[neural]'" in done.stdout


def test_weights_of_another_network_are_refused(tmp_path):
    code = quick(2, max_iter=1).fit(plane(30))
    code.weights_ = dict(code.weights_)
    code.weights_["linear.0.weight"] = code.weights_["linear.0.weight"][:, :3].copy()
    code.save(tmp_path / "code.probus")
    with pytest.raises(ModelFileError, match="the weights do not match the layers"):
        probus.load(tmp_path / "code.probus")


def test_typed_tables_go_through_tabular():
    birds = penguins().drop("species")
    code = probus.tabular(quick(3, max_iter=20))
    numbers = code.fit_transform(birds)
    assert numbers.shape == (len(birds), 3)
    assert np.isfinite(numbers).all()
    assert code[-1].get_feature_names_out().tolist() == ["autoencoder0", "autoencoder1", "autoencoder2"]


def test_its_code_is_input_for_models():
    flowers = iris()
    X, y = flowers.drop("species").numbers(), flowers["species"].decoded()
    model = StandardScaler() >> quick(2, max_iter=100) >> LogisticRegression()
    assert probus.pipeline.sequence(model).fit(X, y).score(X, y) > 0.8


def test_early_stopping_holds_rows_out():
    code = quick(1, hidden=(4,), early_stopping=True, max_iter=30, n_iter_no_change=3).fit(plane(60))
    assert len(code.history_.validation) == code.n_iter_
    assert code.history_.best_epoch is not None


def test_the_same_seed_gives_the_same_code():
    X = plane(60)
    first, second = (quick(1, corruption="gaussian", max_iter=3).fit(X).transform(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_it_goes_on_from_a_checkpoint(tmp_path):
    X = plane(60)
    settings = {"learning_rate": "constant", "corruption": "masking", "checkpoint": tmp_path / "code.ckpt"}
    quick(1, max_iter=3, **settings).fit(X)
    resumed = quick(1, max_iter=6, **settings).fit(X)
    whole = quick(1, max_iter=6, **{**settings, "checkpoint": None}).fit(X)
    np.testing.assert_array_equal(resumed.transform(X), whole.transform(X))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden": (0,)}, r"hidden=\(0,\)\.\n  Expected widths of layers.*Pass hidden=\(64, 32\)"),
        ({"hidden": (2.5,)}, r"hidden=\(2\.5,\)"),
        ({"activation": "rleu"}, "Did you mean 'relu'"),
        ({"activation": "step"}, r"activation='step'\.\n  Expected a function of each unit that has a slope"),
        ({"loss": "cross_entropy"}, r"loss='cross_entropy' and a number \S+\.\n  Expected numbers from 0 to 1"),
    ],
)
def test_bad_settings_say_what_to_do(settings, message):
    with pytest.raises(DataError, match=message):
        quick(1, **settings).fit(plane(30))


def test_bad_rows_and_codes_say_what_to_do():
    with pytest.raises(ParameterError, match="'n_components' parameter of Autoencoder must be"):
        quick(0).fit(plane(30))
    with pytest.raises(DataError, match="NaN"):
        quick(1).fit([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(DataError, match="numbers whose squares overflow"):
        quick(1).fit(np.array([[1e200], [-1e200]]))
    code = quick(2, max_iter=1).fit(plane(30))
    with pytest.raises(DataError, match=r"codes of 3 numbers\.\n  Expected 2"):
        code.inverse_transform(np.ones((2, 3)))
    with pytest.raises(ValueError, match="X has 2 features, but Autoencoder is expecting 5"):
        code.transform(np.ones((2, 2)))


def test_a_constant_table_is_its_own_reconstruction():
    X = np.full((30, 3), 4.0)
    np.testing.assert_allclose(quick(1, max_iter=2).fit(X).reconstruct(X), X, atol=1e-6)
