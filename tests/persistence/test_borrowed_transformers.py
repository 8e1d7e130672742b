"""scikit-learn's transformers, unions and column transformers: saved with what they learnt, checked on loading."""

import json
import zipfile

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import probus
from probus.naive_bayes import GaussianNB
from probus.persistence._borrowed import BORROWED

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(30, 3))
GAPS = np.where(RNG.random((30, 3)) < 0.2, np.nan, NUMBERS)
LEVELS = np.array([[("a", "b", "c", "d")[i % 7 % 4], ("u", "v")[i % 2]] for i in range(30)], dtype=object)
Y = np.arange(30) % 3
BEYOND = np.array([["z", "u"]], dtype=object)

NUMERIC = [
    Binarizer(), FunctionTransformer(feature_names_out="one-to-one"), MaxAbsScaler(), MinMaxScaler(), Normalizer(),
    PCA(2), PCA(whiten=True),
    PolynomialFeatures(2), PolynomialFeatures((1, 3), interaction_only=True), PowerTransformer(),
    PowerTransformer(standardize=False), QuantileTransformer(n_quantiles=5), RobustScaler(), StandardScaler(),
    VarianceThreshold(0.1), KBinsDiscretizer(3), KBinsDiscretizer(3, encode="ordinal"),
    FeatureUnion([("a", StandardScaler()), ("b", "passthrough"), ("c", "drop")]),
    ColumnTransformer([("a", StandardScaler(), [0, 2]), ("b", "drop", [])], remainder=MinMaxScaler()),
    ColumnTransformer([("a", StandardScaler(), slice(0, 2)), ("b", "passthrough", [False, False, True])]),
]  # fmt: skip
WITH_GAPS = [
    SimpleImputer(), SimpleImputer(strategy="constant", fill_value=-1.0, add_indicator=True), MissingIndicator(),
    make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
]  # fmt: skip
WITH_LEVELS = [
    OneHotEncoder(), OneHotEncoder(drop="first", sparse_output=False), OneHotEncoder(drop=["b", "u"]),
    OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist", dtype=np.float32),
    OneHotEncoder(max_categories=2, drop="if_binary", dtype=int), OrdinalEncoder(),
    OrdinalEncoder(min_frequency=6, handle_unknown="use_encoded_value", unknown_value=-1, dtype=float),
    TargetEncoder(cv=2), SimpleImputer(strategy="most_frequent"),
    ColumnTransformer([("a", OneHotEncoder(), [0])], remainder="passthrough"),
]  # fmt: skip
CASES = [(m, NUMBERS) for m in NUMERIC] + [(m, GAPS) for m in WITH_GAPS] + [(m, LEVELS) for m in WITH_LEVELS]


def dense(value):
    return value.toarray() if hasattr(value, "toarray") else np.asarray(value)


@pytest.mark.parametrize(("model", "X"), CASES, ids=lambda value: " ".join(repr(value).split())[:90])
@pytest.mark.filterwarnings("ignore")
def test_a_saved_transformer_transforms_the_same(model, X, tmp_path):
    model.fit(X, Y)
    loaded = probus.load(probus.save(model, tmp_path / "m"))
    np.testing.assert_array_equal(dense(loaded.transform(X)), dense(model.transform(X)))
    np.testing.assert_array_equal(loaded.get_feature_names_out(), model.get_feature_names_out())
    if getattr(model, "handle_unknown", "error") not in ("error", "warn"):
        np.testing.assert_array_equal(dense(loaded.transform(BEYOND)), dense(model.transform(BEYOND)))
    assert probus.save(loaded, tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    fresh = type(model)(**model.get_params(deep=False))
    if type(model).__name__ not in ("FeatureUnion", "Pipeline"):  # their fitted parts are their parameters
        assert probus.load(probus.save(fresh, tmp_path / "unfitted")).get_params(deep=False).keys()


def test_every_class_that_a_file_may_contain_is_saved_here_or_elsewhere():
    here = {type(model).__name__ for model, _ in CASES}
    elsewhere = {"LogisticRegression", "RidgeCV"}  # the final models of stacking
    elsewhere |= {"TransformedTargetRegressor"}
    assert {name.rpartition(".")[2] for name in BORROWED} == here | elsewhere


def test_a_column_transformer_by_names_of_a_frame(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": NUMBERS[:, 0], "town": LEVELS[:, 0], "spent": NUMBERS[:, 1]})
    parts = [("n", StandardScaler(), ["age"]), ("c", OneHotEncoder(), ["town"])]
    model = make_pipeline(ColumnTransformer(parts, remainder=MinMaxScaler()), GaussianNB())
    model.fit(frame, np.arange(len(frame)) % 2)
    loaded = probus.load(probus.save(model, tmp_path / "m"))
    turned = frame[["spent", "town", "age"]]
    np.testing.assert_array_equal(loaded.predict_proba(turned), model.predict_proba(frame))
    with_output = ColumnTransformer(parts).set_output(transform="pandas")
    with_output.set_params(c__sparse_output=False).fit(frame)
    again = probus.load(probus.save(with_output, tmp_path / "p"))
    assert list(again.transform(frame).columns) == list(with_output.transform(frame).columns)


def test_functions_are_refused_by_name(tmp_path):
    with pytest.raises(
        probus.ModelFileError, match=r"FunctionTransformer.func is a function or a class \(log1p\)|ufunc"
    ):
        probus.save(FunctionTransformer(np.log1p), tmp_path / "m")
    selecting = ColumnTransformer([("a", StandardScaler(), make_column_selector("age"))])
    with pytest.raises(probus.ModelFileError, match="make_column_selector"):
        probus.save(selecting, tmp_path / "m")


# -- forged --------------------------------------------------------------------------------------------


def forged(model, path, change):
    with zipfile.ZipFile(probus.save(model, path)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(entries["model.json"])
    change(document["model"])
    entries["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def params(**values):
    return lambda node: node["params"].update(values)


def state(**values):
    return lambda node: node["state"].update(values)


HUGE = {"type": "slice", "start": 0, "stop": 2**62, "step": None}


@pytest.mark.parametrize(
    ("model", "X", "change", "text"),
    [
        (PolynomialFeatures(2), NUMBERS, params(degree=2**40), "polynomials of degree"),
        (PolynomialFeatures(2), NUMBERS, params(degree=500), "at most 1,000,000"),
        (PolynomialFeatures(2), NUMBERS, params(degree=10**6, interaction_only=True), "a degree of at most 1,000"),
        (PolynomialFeatures(2), NUMBERS, state(n_features_in_=2**22), "polynomials of degree"),
        (
            Normalizer(),
            NUMBERS,
            state(n_features_in_=2**32),
            "n_features_in_ is 4294967296.\n  Expected at most 8,388,608",
        ),
        (PolynomialFeatures(2), NUMBERS, params(degree="2"), "whole numbers"),
        (OneHotEncoder(), LEVELS, lambda node: node["state"]["categories_"].pop(), "categories of each column"),
        (OneHotEncoder(), LEVELS, params(drop=["z", "z"]), "inconsistent"),
        (OneHotEncoder(), LEVELS, params(dtype={"type": "dtype", "value": "|V8", "form": "dtype"}), "dtype of numbers"),
        (OneHotEncoder(), LEVELS, params(dtype={"type": "dtype", "value": "exec", "form": "python"}), "the dtype"),
        (OneHotEncoder(min_frequency=5), LEVELS, state(_infrequent_indices=[None]), "an item for each column"),
        (OrdinalEncoder(), LEVELS, state(categories_=[]), "categories of each column"),
        (KBinsDiscretizer(3), NUMBERS, params(encode="ordinal"), "an encoder for ordinal codes"),
        (SimpleImputer(), GAPS, state(_fit_dtype="f8"), "a dtype"),
        (SimpleImputer(), GAPS, state(n_features_in_=2), "one per column"),
        (TargetEncoder(cv=2), LEVELS, state(encodings_=[]), "one number for each category"),
        (NUMERIC[-2], NUMBERS, lambda node: node["state"]["output_indices_"].update(items=[]), "of other names"),
        (NUMERIC[-2], NUMBERS, state(n_features_in_=1), "columns of the fit"),
        (NUMERIC[-2], NUMBERS, lambda node: node["params"]["transformers"].pop(), "other transformers"),
        (NUMERIC[-1], NUMBERS, state(n_features_in_=2**22), "ColumnTransformer with"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
@pytest.mark.filterwarnings("ignore")
def test_a_forged_transformer_is_refused(model, X, change, text, tmp_path):
    if text == "ColumnTransformer with":
        change_of_size = change

        def change(node):
            change_of_size(node)
            node["state"]["transformers_"][0]["items"][2] = HUGE

    with pytest.raises(probus.ModelFileError, match=text):
        probus.load(forged(model.fit(X, Y), tmp_path / "m", change))


def test_infrequent_categories_are_among_the_categories(tmp_path):
    model = OneHotEncoder(min_frequency=8).fit(LEVELS)
    path = probus.save(model, tmp_path / "m")
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    name = next(name for name in entries if name.startswith("arrays/"))
    entries[name] = np.full(len(entries[name]) // 8, 99).tobytes()
    with zipfile.ZipFile(path, "w") as archive:
        for each, data in entries.items():
            archive.writestr(each, data)
    with pytest.raises(probus.ModelFileError, match="not among the categories"):
        probus.load(path)
