import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.preprocessing import StandardScaler, TargetEncoder

import probus
from probus.data import Column, Kind, Table
from probus.errors import DataError, ModelFileError
from probus.pipeline import tabular
from probus.preprocessing import DroppedColumnWarning, TableEncoder
from probus.svm import SVC


def columns_of(encoded, parent):
    return encoded.select(*(name for name in encoded.names if name.startswith(parent))).numbers()


def test_one_hot_rows_sum_to_one_and_missing_is_nan_throughout(mixed):
    colour = columns_of(TableEncoder().fit_transform(mixed), "colour_")
    missing = mixed["colour"].missing
    assert (colour[~missing].sum(axis=1) == 1).all()
    assert np.isin(colour[~missing], (0, 1)).all()
    assert np.isnan(colour[missing]).all()


def test_numbers_pass_unchanged(mixed):
    encoded = TableEncoder().fit_transform(mixed)
    for name in ("age", "height"):
        np.testing.assert_array_equal(encoded[name].values, mixed[name].values)
    np.testing.assert_array_equal(encoded["smoker"].values, mixed["smoker"].numbers_array())


def test_dates_of_a_frame_become_days_that_scikit_learn_can_scale():
    frame = Table([Column.numbers("when", [0.0, 366.0], dates=True), Column.numbers("age", [1.0, 3.0])]).to_pandas()
    assert frame["when"].dtype.kind == "M"
    assert TableEncoder().fit_transform(frame)["when"].tolist() == [0.0, 366.0]
    assert (TableEncoder() >> StandardScaler()).fit_transform(frame).tolist() == [[-1.0, -1.0], [1.0, 1.0]]


def test_two_levels_that_are_numbers_stay_those_numbers():
    table = Table([Column.labels("grade", [1, 2, 2, None], [1, 2])])
    assert TableEncoder().fit_transform(table).to_dict() == {"grade": [1.0, 2.0, 2.0, None]}


def test_names_describe_the_columns(mixed):
    assert TableEncoder().fit(mixed).get_feature_names_out().tolist() == [
        "age", "height", "sex_m", "smoker",
        "colour_blue", "colour_green", "colour_grey", "colour_red",
        "size>=M", "size>=L",
    ]  # fmt: skip


def test_duplicate_names_are_made_unique():
    table = Table([Column.numbers("a_b", [1.0, 2.0, 3.0]), Column.labels("a", ["b", "c", "d"])])
    assert TableEncoder().fit_transform(table).names == ("a_b", "a_b_", "a_c", "a_d")


@pytest.mark.parametrize(
    ("ordinal", "expected"),
    [
        ("cumulative", {"size>=M": [0.0, 1.0, 1.0], "size>=L": [0.0, 1.0, 0.0]}),
        ("rank", {"size": [0.0, 2.0, 1.0]}),
        ("onehot", {"size_S": [1.0, 0.0, 0.0], "size_M": [0.0, 0.0, 1.0], "size_L": [0.0, 1.0, 0.0]}),
    ],
)
def test_ordinal_codings(ordinal, expected):
    table = Table.of({"size": ["S", "L", "M"]}).with_kinds(size=["S", "M", "L"])
    assert TableEncoder(ordinal=ordinal).fit_transform(table).to_dict() == expected


def test_integer_coding_numbers_the_levels():
    table = Table([Column.labels("town", ["Rome", "Bonn", None, "Oslo"])])
    assert TableEncoder("integer").fit_transform(table).to_dict() == {"town": [2.0, 0.0, None, 1.0]}


def test_levels_beyond_the_most_frequent_share_a_column():
    table = Table([Column.labels("town", ["Rome"] * 5 + ["Bonn"] * 4 + ["Oslo"] * 2 + ["Kyiv"])])
    encoded = TableEncoder(max_levels=2).fit_transform(table)
    assert encoded.names == ("town_Bonn", "town_Rome", "town_other")
    assert encoded["town_other"].values.tolist() == [0] * 9 + [1] * 3


def test_ordinals_of_many_levels_are_ranked():
    levels = [f"{i:02}" for i in range(30)]
    table = Table.of({"grade": levels}).with_kinds(grade=levels)
    encoded = TableEncoder(max_levels=20).fit_transform(table)
    assert encoded.to_dict() == {"grade": list(map(float, range(30)))}


def test_names_of_rows_and_text_are_left_out_with_a_warning(mixed):
    n = mixed.n_rows
    table = mixed.with_columns(
        Column.labels("passport", [f"P{i}" for i in range(n)]),
        Column.labels("cabin", ["C1"] * (n - 20) + [f"C{i}" for i in range(20)]),
        Column.text("note", ["text"] * n),
    )
    with pytest.warns(DroppedColumnWarning) as warned:
        encoder = TableEncoder().fit(table)
    assert [str(w.message) for w in warned] == [
        "column dropped, text: 'note'",
        "columns dropped, a different level in almost every row: 'passport', 'cabin'",
    ]
    assert encoder.get_feature_names_out().tolist() == TableEncoder().fit(mixed).get_feature_names_out().tolist()


def test_nothing_left_is_an_error():
    with pytest.warns(DroppedColumnWarning), pytest.raises(DataError, match="no column is left"):
        TableEncoder().fit(Table([Column.text("note", ["some", "words"])]))


def test_impact_agrees_with_scikit_learns_target_encoder(mixed, survived):
    table = mixed.select("colour").take(~mixed["colour"].missing)
    labels = survived[~mixed["colour"].missing]
    reference = TargetEncoder().fit(table["colour"].decoded()[:, None], labels)
    ours = TableEncoder("impact", random_state=0).fit(table, labels).transform(table)
    assert ours.names == ("colour_impact",)
    np.testing.assert_allclose(ours.numbers(), reference.transform(table["colour"].decoded()[:, None]))


def test_impact_of_training_rows_does_not_see_their_own_target():
    rng = np.random.default_rng(0)
    town = Column("town", Kind.NOMINAL, rng.integers(100, size=300).astype(np.int32), tuple(map(str, range(100))))
    noise = rng.normal(size=300)
    encoder = TableEncoder("impact", random_state=0)
    crossed = encoder.fit_transform(Table([town]), noise)["town_impact"].values
    plain = encoder.transform(Table([town]))["town_impact"].values
    assert np.corrcoef(plain, noise)[0, 1] > 0.4
    assert abs(np.corrcoef(crossed, noise)[0, 1]) < 0.2


def test_impact_of_several_classes_has_a_column_for_each(mixed):
    y = np.array(["a", "b", "c"])[np.arange(mixed.n_rows) % 3]
    encoded = TableEncoder("impact", random_state=0).fit_transform(mixed.select("colour"), y)
    assert encoded.names == ("colour_impact_a", "colour_impact_b", "colour_impact_c")
    np.testing.assert_array_equal(np.isnan(encoded.numbers()).all(axis=1), mixed["colour"].missing)


def test_impact_treats_integers_as_numbers_if_the_target_is_continuous(mixed):
    counts = np.arange(mixed.n_rows) % 5
    encoded = TableEncoder("impact", target_type="continuous", random_state=0).fit_transform(
        mixed.select("colour"), counts
    )
    assert encoded.names == ("colour_impact",)


def test_impact_is_the_same_for_the_same_seed(mixed, survived):
    one, other = (TableEncoder("impact", random_state=3).fit_transform(mixed, survived).numbers() for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_impact_without_a_target_is_an_error_with_a_hint(mixed):
    with pytest.raises(DataError, match=r"'colour' requires y.*\n.*nominal=\"onehot\""):
        TableEncoder("impact").fit(mixed)


@pytest.mark.parametrize(("parameter", "value"), [("nominal", "hot"), ("ordinal", None)])
def test_an_unknown_coding_is_an_error(mixed, parameter, value):
    with pytest.raises(
        DataError, match=f"The {parameter!r} parameter of TableEncoder must be .* Got {value!r} instead"
    ):
        TableEncoder(**{parameter: value}).fit(mixed)


def test_no_levels_at_all_is_an_error(mixed):
    with pytest.raises(DataError, match="The 'max_levels' parameter of TableEncoder must be an int in the range"):
        TableEncoder(max_levels=0).fit(mixed)


def test_a_lookup_that_does_not_fit_the_levels_is_refused(mixed):
    encoder = TableEncoder().fit(mixed)
    encoder.lookups_[4] = encoder.lookups_[4][:-1]
    with pytest.raises(ModelFileError, match="'colour' does not match its levels"):
        encoder.check_fitted_state()


def test_a_level_without_rows_has_a_column_of_zeros():
    table = Table([Column.labels("town", ["Rome", "Bonn", "Rome"], ["Bonn", "Oslo", "Rome"])])
    assert TableEncoder().fit_transform(table)["town_Oslo"].values.tolist() == [0, 0, 0]


def test_levels_beyond_the_most_frequent_join_a_level_that_is_named_other():
    column = Column.labels("town", ["Bonn"] * 5 + ["other"] * 4 + ["Oslo", "Rome"])
    encoded = TableEncoder(max_levels=2).fit_transform(Table([column]))
    assert encoded.names == ("town_Bonn", "town_other")
    assert encoded["town_other"].values.tolist() == [0.0] * 5 + [1.0] * 6


@pytest.mark.parametrize("big", [1e160, 1e200, 1.7e308])
def test_values_whose_squares_are_not_finite_are_divided_by_a_constant(big):
    table = Table.of({"a": [big, -big / 2, 0.0, np.nan], "b": [1.0, 2.0, 3.0, 4.0]})
    encoder = TableEncoder().fit(table)
    encoded = encoder.transform(table).numbers()
    assert 1 <= encoded[0, 0] < 2
    np.testing.assert_array_equal(encoded[1:3, 0], [-encoded[0, 0] / 2, 0.0])
    np.testing.assert_array_equal(encoded[:, 1], table["b"].values)
    assert encoder.notes() == ["values whose squares are not finite are divided by a constant: a"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("big", [1e160, 1.7e308])
def test_models_that_scale_columns_take_huge_values(big):
    rng = np.random.default_rng(0)
    table = Table.of({"a": [big, *rng.normal(size=39)], "b": rng.normal(size=40), "c": ["u", "v"] * 20})
    scaled = tabular(SVC()).fit(table, [0, 1] * 20)[:-1].transform(table)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1)


# -- columns whose levels are mostly rare --------------------------------------------------------------


def rare_codes(n=600, n_levels=120, common=0):
    """A column of rare levels, of which one has some more rows, and how each changes the target."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, n_levels, n)
    codes[:common] = 0
    return Table([Column.labels("code", [f"c{code}" for code in codes])]), rng.normal(size=n_levels)[codes]


@pytest.mark.parametrize(("common", "by_target"), [(0, True), (250, True), (350, False)])
def test_levels_are_encoded_by_the_target_where_most_rows_have_a_rare_one(common, by_target):
    table, effect = rare_codes(common=common)
    encoder = TableEncoder(rare=20, random_state=0)
    encoded = encoder.fit_transform(table, effect)
    assert encoder.by_target_.tolist() == [by_target]
    assert (encoded.names == ("code_impact",)) == by_target
    if by_target:
        as_impact = TableEncoder("impact", random_state=0)
        assert_array_equal(encoded.numbers(), as_impact.fit_transform(table, effect).numbers())
        assert_array_equal(encoder.transform(table).numbers(), as_impact.transform(table).numbers())
        assert encoder.notes() == [
            "most rows have a level with fewer than 20 rows, and fewer than 5 %: "
            "the mean target of the level is used: code"
        ]


@pytest.mark.parametrize("y", [None, np.eye(600, 2)])
def test_rare_levels_are_one_hot_without_a_single_target(y):
    encoder = TableEncoder(rare=20).fit(rare_codes()[0], y)
    assert not encoder.by_target_.any()
    assert len(encoder.get_feature_names_out()) == 51
    assert encoder.notes() == []


def test_a_level_called_impact_is_no_impact_coding(tmp_path):
    table = Table([Column.labels("x", ["impact", "b", "c"] * 20), rare_codes(60, 20)[0]["code"]])
    encoder = TableEncoder(rare=20).fit(table, np.arange(60.0))
    probus.save(encoder, tmp_path / "encoder.probus")
    again = probus.load(tmp_path / "encoder.probus")
    assert again.by_target_.tolist() == [False, False]
    assert again.transform(table).names == encoder.transform(table).names


def test_levels_can_be_kept_but_where_most_rows_have_a_rare_one(tmp_path):
    rng = np.random.default_rng(0)
    ticket = [f"t{number}" for number in rng.integers(0, 80, 200)]
    table = Table.of({"ticket": ticket, "sex": ["f", "m"] * 100, "port": ["a", "b", None, "c"] * 50, "age": range(200)})
    y = rng.integers(0, 2, 200)
    encoder = TableEncoder("keep", rare=20, random_state=0).fit(table, y)
    encoded = encoder.transform(table)
    assert encoded.names == ("ticket_impact", "sex", "port", "age")
    assert encoded.drop("ticket_impact").to_dict() == table.drop("ticket").to_dict()
    shared = TableEncoder("impact", random_state=0).fit(table.select("ticket"), y)
    assert_array_equal(encoded["ticket_impact"].values, shared.transform(table.select("ticket")).numbers()[:, 0])
    (note,) = encoder.notes()
    assert note.endswith("the mean target of the level is used: ticket")
    assert TableEncoder("keep").fit(table, y).transform(table).to_dict() == table.to_dict()
    probus.save(encoder, tmp_path / "encoder.probus")
    assert probus.load(tmp_path / "encoder.probus").transform(table).to_dict() == encoded.to_dict()
