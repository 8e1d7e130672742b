"""The words of pandas on tables and columns give what pandas gives; the rest is answered."""

import copy
import functools
import http.server
import pickle
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score, train_test_split

import probus
from probus import DataError, Table
from probus.data.reading._addresses import address_of
from probus.naive_bayes import NaiveBayes

RNG = np.random.default_rng(0)
AGE = RNG.integers(1, 80, 40).astype(float)
AGE[:3] = np.nan
FRAME = pd.DataFrame(
    {
        "age": AGE,
        "sex": RNG.choice(["f", "m"], 40),
        "flag": RNG.choice([True, False], 40),
        "when": pd.date_range("2024-01-01", periods=40),
        "size": RNG.choice(["S", "M", "L"], 40),
    }
)
T = Table(FRAME, kinds={"size": ["S", "M", "L"]})


@pytest.mark.parametrize("name", ["mean", "median", "std", "sum", "min", "max"])
def test_statistics_are_those_of_pandas(name):
    assert getattr(T["age"], name)() == pytest.approx(getattr(FRAME["age"], name)())
    if name in ("mean", "sum"):
        assert getattr(T["flag"], name)() == pytest.approx(getattr(FRAME["flag"], name)())


@pytest.mark.parametrize("name", ["mean", "median", "min", "max"])
def test_statistics_of_dates_are_dates(name):
    assert pd.Timestamp(getattr(T["when"], name)()) == getattr(FRAME["when"], name)()


def test_levels_in_order_have_a_first_and_a_last_but_no_mean():
    assert (T["size"].min(), T["size"].max()) == ("S", "L")
    with pytest.raises(DataError, match="column 'size' is ordinal, and has no mean"):
        T["size"].mean()
    with pytest.raises(DataError, match=r"'sex' is binary, and has no max.\n.*or one whose levels are in order"):
        T["sex"].max()
    with pytest.raises(DataError, match="every value of column 'gone' is missing"):
        Table({"gone": [None, None]})["gone"].mean()


@pytest.mark.parametrize(
    "condition",
    [
        lambda t: t["age"] > 30, lambda t: t["age"] <= 30, lambda t: t["age"] == 30, lambda t: t["age"] != 30,
        lambda t: t["sex"] == "f", lambda t: t["sex"] != "f", lambda t: t["flag"] == True, lambda t: t["age"].isna(),  # noqa: E712
        lambda t: t["when"] > "2024-01-15", lambda t: t["when"] == "2024-01-15", lambda t: t["sex"].isin(["f", "x"]),
        lambda t: (t["age"] > 30) & (t["sex"] == "f"), lambda t: t["age"].notna(),
        lambda t: t["age"] < t["age"].to_numpy() + 1,
    ],
)  # fmt: skip
def test_conditions_select_the_rows_that_they_select_in_pandas(condition):
    assert T[condition(T)].to_pandas()["when"].tolist() == FRAME[condition(FRAME)]["when"].tolist()
    assert len(T.filter(condition(T))) == condition(FRAME).sum()


def test_levels_in_order_are_compared_by_their_order():
    assert (T["size"] >= "M").tolist() == [size != "S" for size in FRAME["size"]]
    with pytest.raises(DataError, match=r"compared with 'XL' by order.\n  Expected one of its levels: S, M, L"):
        T[T["size"] > "XL"]
    with pytest.raises(DataError, match=r"'sex' is binary, compared with 'f' by order.\n.*with_kinds\(sex="):
        T[T["sex"] > "f"]
    with pytest.raises(DataError, match=r"'age' is compared with 'old'\.\n  Expected a number"):
        T[T["age"] > "old"]


def test_a_column_is_a_sequence_of_its_values():
    assert list(T["sex"]) == FRAME["sex"].tolist()
    assert (T["sex"][0], T["sex"][-1]) == (FRAME["sex"][0], FRAME["sex"].iloc[-1])
    assert T["age"][0] is None
    assert T["age"][3:5].to_list() == FRAME["age"][3:5].tolist()
    assert (T["sex"].nunique(), T["sex"].unique().tolist()) == (2, ["f", "m"])
    assert T["sex"].value_counts().to_frame()["count"].to_list() == FRAME["sex"].value_counts().tolist()


def test_columns_and_tables_are_copied_and_pickled():
    for again in (copy.deepcopy(T), pickle.loads(pickle.dumps(T)), copy.copy(T), T.copy()):
        assert again.to_dict() == T.to_dict()
    assert pickle.loads(pickle.dumps(T["age"])).to_list() == T["age"].to_list()
    assert len({T["age"], T["age"], T["sex"]}) == 2


def test_rows_are_drawn_without_replacement():
    drawn = T.sample(20, random_state=0)
    assert len(set(drawn["when"])) == 20
    assert drawn.to_dict() == T.sample(frac=0.5, random_state=0).to_dict()
    with pytest.raises(DataError, match=r"41 rows to draw.\n  Expected at most the 40 rows of the table"):
        T.sample(41)


def test_other_libraries_keep_names_and_are_never_given_nameless_columns():
    assert pl.DataFrame(T).columns == list(T.names)
    assert list(pd.DataFrame(dict(T)).columns) == list(T.names)
    for table in (T, T.select("age")):
        with pytest.raises(DataError, match=r"lose the names(.|\n)*Use table\.to_pandas\(\)"):
            pd.DataFrame(table)
    assert list(pd.DataFrame(T.select("age"), columns=["years"]).columns) == ["years"]


def test_what_a_table_lacks_is_named():
    with pytest.raises(AttributeError, match=r"Use table\.to_pandas\(\)\.groupby"):
        T.groupby
    with pytest.raises(AttributeError, match=r"Use table\['age'\] for the column"):
        T.age
    assert not hasattr(T, "iloc")
    assert not hasattr(T, "dtype")
    assert not hasattr(T["age"], "iloc")
    with pytest.raises(TypeError, match=r"table = table\.with_columns\(old=values\)"):
        T["old"] = 3
    assert T.with_columns(old=(T["age"] > 60)).kinds["old"] == "binary"


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow", ".feather", ".ndjson"])
def test_a_table_is_written_and_read_again(ending, tmp_path):
    again = probus.read(T.save(tmp_path / f"rows{ending}"), kinds={"size": ["S", "M", "L"]})
    assert again.select("age", "sex", "size").to_dict() == T.select("age", "sex", "size").to_dict()
    with pytest.raises(DataError, match=r"Expected a path that ends in \.csv"):
        T.save(tmp_path / "rows.sav")


# -- addresses -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    T.drop("when").save(folder / "rows.csv")
    T.save(folder / "rows.parquet")
    (folder / "export").write_bytes((folder / "rows.csv").read_bytes())

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "export", "rows.csv?part=1"])
def test_files_are_read_from_the_web(address, name):
    assert probus.read(f"{address}/{name}")["age"].to_list() == T["age"].to_list()


def test_what_the_web_does_not_have_is_an_error_with_its_address(address):
    with pytest.raises(DataError, match=r"rows\.xlsx' is answered with 404 File not found"):
        probus.read(f"{address}/rows.xlsx")
    with pytest.raises(DataError, match=r"cannot reach 'http://127\.0\.0\.1:9/rows\.csv'"):
        probus.read("http://127.0.0.1:9/rows.csv")


def test_files_in_clouds_are_read_by_polars(monkeypatch):
    given = {}

    def scanned(address, **options):
        given.update(options, address=address)
        return pl.LazyFrame({"age": ["22", "?", "1,097"], "sex": ["f", "-9", "m"]})

    monkeypatch.setattr(pl, "scan_csv", scanned)
    table = probus.read("s3://bucket/rows.csv", missing=["-9"], delimiter=";")
    assert given == {"address": "s3://bucket/rows.csv", "separator": ";", "infer_schema": False}
    assert table["sex"].to_list() == ["f", None, "m"]
    with pytest.raises(DataError, match=r"options of 's3://bucket/rows\.csv' with 'encoding'"):
        probus.read("s3://bucket/rows.csv", encoding="latin-1")

    def refused(address, **options):
        raise OSError("error sending request\nand where")

    monkeypatch.setattr(pl, "scan_parquet", refused)
    with pytest.raises(DataError, match=r"cannot read 's3://bucket/a\.parquet': error sending request\.\n(.|\n)*AWS_"):
        probus.read("s3://bucket/a.parquet")
    with pytest.raises(DataError, match=r"has the extension '\.sav'"):
        probus.read("gs://bucket/a.sav")


def test_paths_are_no_addresses(tmp_path):
    assert [address_of(each) for each in ("C:/rows.csv", "rows.csv", tmp_path, 3, "s3.csv")] == [None] * 5


# -- data in memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Table, probus.read, Table.of])
def test_data_in_memory_becomes_a_table(make):
    assert make(FRAME).names == T.names
    assert make({"a": [1.5, 2.0]}).columns == ("a",)
    assert make([{"a": 1}, {"a": 2, "b": "x"}]).names == ("a", "b")
    assert make(np.ones((3, 2))).shape == (3, 2)
    assert make(T).to_dict() == T.to_dict()
    assert make({"a": [1, 2, 3, 1]}, kinds={"a": "nominal"}).kinds["a"] == "nominal"


def test_columns_of_data_in_memory_are_chosen():
    assert probus.read(FRAME, columns=["sex", "age"]).names == ("sex", "age")
    assert Table(list(T), kinds={"sex": "nominal"}).kinds["sex"] == "nominal"


def test_a_filter_takes_one_truth_value_for_each_row():
    table = Table.of({"a": [1, 2, 3], "s": ["yes", "no", "yes"]}, infer=False)
    for wrong in (table["s"], [0, 1, 2], [True, False], ["a"]):
        with pytest.raises(DataError, match="True or False for each of 3 rows"):
            table.filter(wrong)
    assert table.tail(-1)["a"].to_list() == [2.0, 3.0]


def test_a_column_is_a_target_for_functions_of_scikit_learn():
    iris = probus.datasets.iris()
    scores = cross_val_score(NaiveBayes(), iris.drop("species"), iris["species"], cv=3)
    assert scores.mean() > 0.9
    _, _, train, test = train_test_split(iris.drop("species"), iris["species"], random_state=0)
    assert (len(train), len(test)) == (112, 38)
