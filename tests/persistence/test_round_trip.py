"""What is saved comes back, to the bit, and equal models give equal files."""

import math
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import probus
from probus.dummy import ZeroRClassifier
from probus.ensemble import BoostingRegressor
from probus.linear_model import L1, SCAD, Box, GeneralizedLinearEstimator, GroupL2, ProximalGradient, WeightedL1
from probus.losses import Huber, LogLoss, Poisson, Quantile, Softmax, Tweedie
from probus.neighbors import KNeighborsClassifier
from probus.persistence._decoder import Decoder
from probus.persistence._encoder import Encoder
from probus.svm import SVR


def assert_same(one, other):
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.flags.f_contiguous == other.flags.f_contiguous
        assert one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes()
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif isinstance(one, dict):
        assert_same(list(one.items()), list(other.items()))
    elif hasattr(one, "get_params"):
        assert_same(dict(sorted(vars(one).items())), dict(sorted(vars(other).items())))
    else:
        assert one == other or (math.isnan(one) and math.isnan(other))


def test_every_type_of_state_and_parameter_comes_back(keeper, tmp_path):
    path = probus.save(keeper, tmp_path / "model.probus")
    assert path == tmp_path / "model.probus"
    assert_same(probus.load(path), keeper)


def test_equal_models_give_equal_bytes(keeper, known_keeper, tmp_path):
    again = known_keeper(**keeper.get_params(deep=False))
    vars(again).update(reversed(vars(keeper).items()))
    first = probus.save(keeper, tmp_path / "1").read_bytes()
    assert probus.save(again, tmp_path / "2").read_bytes() == first
    assert probus.save(probus.load(tmp_path / "1"), tmp_path / "3").read_bytes() == first


def test_loaded_arrays_can_be_written_to(good_file):
    assert all(v.flags.writeable for v in vars(probus.load(good_file)).values() if isinstance(v, np.ndarray))


class _Entries:
    """A container that hands back the arrays an encoder kept, by way of their bytes."""

    file_size = 1_000

    def __init__(self, arrays):
        self.arrays = arrays

    def array(self, index, dtype, size):
        return np.frombuffer(self.arrays[index].tobytes(order="A"), dtype)[:size].copy()


plain = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(st.characters(codec="utf-8"))
)
arrays = st.sampled_from(["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8"]).flatmap(
    lambda dtype: st.lists(st.integers(0, 1), max_size=6).map(lambda v: np.array(v, dtype=dtype).reshape(-1, 1))
)
labels = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), max_size=5).map(
    lambda v: np.array(v, dtype=f"U{max([1, *map(len, v)])}")
)
scalars = st.sampled_from(
    [np.float32(0.1), np.int8(-3), np.uint64(2**64 - 1), np.bool_(True), np.str_("ä"), np.float64(np.nan)]
)
values = st.recursive(
    plain | arrays | labels | scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.integers(0, 9), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(values)
def test_any_value_survives_encoding_and_decoding(value):
    encoder = Encoder()
    node = encoder.node(value, "it")
    back = Decoder(_Entries(encoder.arrays)).value(node, "it")
    assert repr(back) == repr(value)


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: (v,), lambda v: {"k": v}, lambda v: {"k": (v,)}])
def test_whatever_is_not_too_deep_to_save_is_not_too_deep_to_load(known_keeper, tmp_path, wrap):
    value, deepest = np.array(["x"], dtype=object), 0
    for depth in range(70):
        try:
            path = probus.save(known_keeper(anything=value), tmp_path / "m")
        except probus.ModelFileError:
            break
        assert_same(probus.load(path).anything, value)
        value, deepest = wrap(value), depth
    assert deepest > 25


def test_big_endian_arrays_become_native(known_keeper, tmp_path):
    model = known_keeper(anything=np.array([1.5, 2.5], dtype=">f8"))
    back = probus.load(probus.save(model, tmp_path / "m")).anything
    assert back.dtype == np.float64
    assert back.dtype.isnative
    assert back.tolist() == [1.5, 2.5]


def test_an_unfitted_model_comes_back_unfitted(tmp_path):
    model = probus.load(probus.save(ZeroRClassifier(), tmp_path / "m"))
    assert vars(model) == {}


@pytest.mark.parametrize("scaler", [StandardScaler(), StandardScaler(with_std=False), MinMaxScaler((1, 2), clip=True)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("value", [0.5, np.nan])
def test_pipelines_of_borrowed_scalers_come_back(scaler, dtype, value, tmp_path):
    X = np.array([[1, 2], [3, value], [5, 7]], dtype=dtype)
    model = Pipeline([("scale", scaler), ("skip", "passthrough"), ("guess", ZeroRClassifier())]).fit(X, [0, 1, 1])
    back = probus.load(probus.save(model, tmp_path / "m"))
    assert back[:-1].transform(X).tobytes() == model[:-1].transform(X).tobytes()
    assert back.predict_proba(X).tolist() == model.predict_proba(X).tolist()


@pytest.mark.parametrize("model", [LogisticRegression(), LogisticRegression(fit_intercept=False), RidgeCV((0.1, 2.0))])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_borrowed_linear_models_come_back(model, n_classes, dtype, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2)).astype(dtype)
    model.fit(X, np.arange(30) % n_classes)
    back = probus.load(probus.save(model, tmp_path / "m"))
    assert back.predict(X).tobytes() == model.predict(X).tobytes()
    assert vars(back).keys() == vars(model).keys()


def test_a_regressor_of_a_scaled_target_comes_back(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = TransformedTargetRegressor(SVR(), transformer=StandardScaler()).fit(X, 1000 * X[:, 0])
    back = probus.load(probus.save(model, tmp_path / "m"))
    assert back.predict(X).tobytes() == model.predict(X).tobytes()
    assert vars(back).keys() == vars(model).keys()


@pytest.mark.parametrize(
    "coefficients", [np.zeros((1, 2)), np.zeros(3), np.zeros((3, 3)), np.zeros((1, 3), int), [1.0]]
)
def test_borrowed_linear_models_with_coefficients_that_do_not_fit_are_refused(coefficients, tmp_path):
    model = RidgeCV().fit(np.eye(2), [0.0, 1.0])
    model.coef_ = coefficients
    with pytest.raises(probus.ModelFileError, match="coef_"):
        probus.save(model, tmp_path / "m")


def test_the_choice_of_output_frame_is_kept(tmp_path):
    scaler = StandardScaler().set_output(transform="polars").fit([[1.0], [2.0]])
    back = probus.load(probus.save(scaler, tmp_path / "m"))
    assert type(back.transform([[1.0]])).__module__.startswith("polars")


def test_saving_over_a_file_replaces_it_whole_and_leaves_nothing_else(keeper, tmp_path):
    target = tmp_path / "model.probus"
    target.write_bytes(b"old")
    probus.save(keeper, str(target))
    probus.load(str(target))
    assert os.listdir(tmp_path) == ["model.probus"]


def test_a_failed_write_keeps_the_old_file(keeper, tmp_path, monkeypatch):
    target = tmp_path / "model.probus"
    target.write_bytes(b"old")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("probus.persistence._save_model.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        probus.save(keeper, target)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model.probus"]


def test_a_tabular_pipeline_comes_back(tmp_path):
    rows = {"age": [4.5, 38.0, None, 2.0] * 4, "sex": ["m", "f", "f", None] * 4, "size": ["S", "M", "L", "S"] * 4}
    table = probus.Table.of(rows).with_kinds(size=["S", "M", "L"])
    model = probus.tabular(KNeighborsClassifier(3), kinds={"sex": "nominal"}).fit(table, ["no", "yes"] * 8)
    back = probus.load(probus.save(model, tmp_path / "m"))
    assert type(back) is type(model)
    assert back.predict_proba(table).tolist() == model.predict_proba(table).tolist()


@pytest.mark.parametrize(
    "model",
    [
        GeneralizedLinearEstimator(LogLoss(), L1(0.01)),
        GeneralizedLinearEstimator(Tweedie(1.2), WeightedL1(0.1, [1.0, 0.0])),
        GeneralizedLinearEstimator(Poisson(), GroupL2(0.01, [0, 0]), ProximalGradient()),
        GeneralizedLinearEstimator(None, SCAD(0.1)),
        GeneralizedLinearEstimator(Huber(delta=1.5), Box(0.0, 1.0)),
        BoostingRegressor(n_estimators=3, loss=Huber(delta=2.0)),
        BoostingRegressor(n_estimators=3, loss=Quantile(np.float64(0.9))),
    ],
)
def test_losses_and_penalties_are_parameters_that_files_hold(model, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    model.fit(X, (X[:, 0] > 0).astype(float))
    probus.save(model, tmp_path / "m.probus")
    loaded = probus.load(tmp_path / "m.probus")
    assert repr(loaded) == repr(model)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_loss_from_a_file_is_checked():
    node = Encoder().part(Tweedie(1.2), "loss")
    node["fields"]["power"] = 7.0
    with pytest.raises(probus.errors.ModelFileError, match=r"'power' parameter of Tweedie .* Got 7\.0"):
        Decoder([])._part(node, "loss", 0)
    assert Decoder([])._part(Encoder().part(Softmax(3), "loss"), "loss", 0) == Softmax(3)


@pytest.mark.parametrize("axes", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_keep_their_layout(axes, order, tmp_path):
    # a product of the same numbers in another layout differs in the last digits
    scaler = StandardScaler().fit(np.eye(3))
    scaler.mean_ = np.flip(np.arange(3.0), [0]) if axes else np.arange(3.0)
    pca = PCA(2).fit(np.random.default_rng(0).normal(size=(9, 3)))
    pca.components_ = np.flip(np.array(pca.components_, order=order), axes)
    for model, name in ((scaler, "mean_"), (pca, "components_")):
        loaded = probus.load(probus.save(model, tmp_path / "m"))
        assert getattr(loaded, name).strides == getattr(model, name).strides
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
