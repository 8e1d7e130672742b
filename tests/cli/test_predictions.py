"""``predict`` with intervals, sets and kept columns, and ``compare``, on models saved here."""

import json

import numpy as np
import polars as pl
import pytest

import probus
from probus.calibration import ConformalClassifier, ConformalRegressor
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.linear_model import Ridge
from probus.naive_bayes import NaiveBayes

IRIS = probus.datasets.iris()
CARS = probus.datasets.mtcars()


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder of model files."""
    folder = tmp_path_factory.mktemp("models")
    even = IRIS.take(slice(0, None, 2))
    named = {
        "flowers": ConformalClassifier(NaiveBayes(), cv=3).fit(even.drop("species"), even["species"]),
        "majority": ZeroRClassifier().fit(even.drop("species"), even["species"]),
        "cars": ConformalRegressor(Ridge(), cv=4).fit(CARS[["wt", "hp"]], CARS["mpg"]),
        "mean": ZeroRRegressor().fit(CARS[["wt", "hp"]], CARS["mpg"]),
    }
    for name, model in named.items():
        target = "mpg" if name in ("cars", "mean") else "species"
        probus.save(model, folder / f"{name}.probus", metadata={"target": target})
    return folder


@pytest.fixture
def run(run, models):
    """Run a command in an empty folder; models are named without their folder."""
    return lambda command: run(*(str(models / word) if word.endswith(".probus") else word for word in command.split()))


# -- predict -------------------------------------------------------------------------------------------


def test_bounds_are_columns_named_by_their_level(run, models):
    code, out, err = run("predict cars.probus mtcars --interval 0.9")
    frame = pl.read_csv(out.encode())
    assert (code, err) == (0, "")
    assert frame.columns == ["prediction", "lower_90", "upper_90"]
    expected = probus.load(models / "cars.probus").predict_interval(CARS)
    np.testing.assert_allclose(frame[["lower_90", "upper_90"]].to_numpy(), expected)


def test_true_and_false_are_written_as_in_their_sets_and_probabilities(run, models):
    rows = IRIS.drop("species")
    probus.save(NaiveBayes().fit(rows, IRIS["species"].decoded() == "setosa"), models / "setosa.probus")
    lines = run("predict setosa.probus iris")[1].splitlines()
    assert lines[0] == "prediction,probability_False,probability_True"
    assert {line.partition(",")[0] for line in lines[1:]} == {"False", "True"}


def test_sets_are_labels_with_bars_between_them(run, models):
    code, out, _ = run("predict flowers.probus iris --set 0.995 --no-proba")
    frame = pl.read_csv(out.encode())
    assert code == 0
    assert frame.columns == ["prediction", "set_99.5"]
    labels = probus.load(models / "flowers.probus").predict_set(IRIS, 0.995).labels
    assert frame["set_99.5"].to_list() == [" | ".join(each) for each in labels]
    assert any(" | " in each for each in frame["set_99.5"])


def test_kept_columns_are_copied_as_they_were_written(run, tmp_path):
    (tmp_path / "new.csv").write_text("id,day,wt,hp\n007,31.01.2024,2.5,90\n12345678901234567890,01.02.2024,3,110\n")
    code, out, _ = run("predict cars.probus new.csv --keep id,day --keep wt")
    lines = [line.rsplit(",", 1)[0] for line in out.splitlines()]
    assert code == 0
    assert lines == ["id,day,wt", "007,31.01.2024,2.5", "12345678901234567890,01.02.2024,3"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("predict cars.probus mtcars --keep nmae", "no column 'nmae'."),
        ("predict mean.probus mtcars --interval 0.9", "--interval 0.9: the file holds a ZeroRRegressor, which has no"),
        ("predict cars.probus mtcars --set 0.9", "--set 0.9: the file holds a ConformalRegressor, which has no sets"),
        ("predict cars.probus mtcars --interval 90", "level=90.0.\n  Expected a number between 0 and 1. 90 % is 0.9."),
        ("predict cars.probus mtcars --interval 0.99", "level=0.99 from 32 rows or groups"),
    ],
)
def test_what_cannot_be_predicted_is_refused(run, command, text):
    code, out, err = run(command)
    assert (code, out) == (2, "")
    assert err.startswith(f"probus: {text}")


def test_a_kept_column_must_not_hide_a_prediction(run, tmp_path):
    (tmp_path / "new.csv").write_text("prediction,wt,hp\na,2.5,90\nb,2.6,95\n")
    assert run("predict cars.probus new.csv --keep prediction")[2].startswith(
        "probus: --keep prediction: the predictions"
    )


# -- compare -------------------------------------------------------------------------------------------


def test_two_models_are_compared_on_rows_held_out(run, tmp_path):
    IRIS.take(slice(1, None, 2)).to_polars().write_csv("odd.csv")
    code, out, err = run("compare flowers.probus majority.probus odd.csv")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].startswith("flowers.probus beats majority.probus on 75 rows by log loss (difference -")
    assert "it is not known if some of these rows were training rows of majority.probus" in out
    assert "of these rows equal training rows" not in out


def test_rows_of_the_training_are_recognised(run):
    IRIS.take(slice(0, None, 2)).to_polars().write_csv("even.csv")
    _, out, _ = run("compare flowers.probus majority.probus even.csv")
    assert "! 100 % of these rows equal training rows of flowers.probus: the score is optimistic" in out
    assert out.index("! 100 %") < out.index("beats")
    assert out.count("equal training rows") == 1


def test_the_comparison_as_json(run):
    code, out, _ = run("compare cars.probus mean.probus mtcars --scoring mae --json")
    found = json.loads(out)
    assert code == 0
    assert found["scoring"] == "mae"
    assert found["sentence"].startswith("cars.probus beats mean.probus on 32 rows")


def test_rows_that_lack_a_class_can_be_compared_on(run, tmp_path):
    IRIS.take(slice(1, 100, 2)).to_polars().write_csv("two.csv")
    assert "flowers.probus beats majority.probus on 50 rows" in run("compare flowers.probus majority.probus two.csv")[1]


def test_the_positive_class_is_that_of_the_saved_models(run, tmp_path):
    table = IRIS.take(slice(0, 100))
    table.to_polars().write_csv("two.csv")
    X, y = table.drop("species"), table["species"]
    for name, model, positive in [("a", NaiveBayes(), "setosa"), ("b", ZeroRClassifier(), "setosa"),
                                  ("c", ZeroRClassifier(), "versicolor")]:  # fmt: skip
        probus.save(model.fit(X, y), f"{name}.model", metadata={"target": "species", "pos_label": positive})

    def recall(command):
        board = json.loads(run(f"compare {command} two.csv --scoring recall --json")[1])["leaderboard"]
        return {each["name"]: each["scores"]["recall"]["value"] for each in board}

    assert recall("a.model b.model")["b.model"] == 1.0  # setosa, the first of two equally frequent ones, is predicted
    assert recall("a.model b.model --positive versicolor")["b.model"] == 0.0
    assert recall("a.model c.model")["c.model"] == 0.0  # they disagree: the last


def test_the_uncertainty_that_a_model_has_is_named_where_another_is_wanted(run):
    for command, hint in (
        ("predict cars.probus mtcars --set 0.8", "ConformalClassifier. It has --interval 0.8.\n"),
        ("predict flowers.probus iris --interval 0.8", "ConformalRegressor. It has --set 0.8.\n"),
    ):
        assert run(command)[2].endswith(f"Expected a model of probus.calibration.{hint}")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            "compare flowers.probus cars.probus iris",
            "models of different targets: 'mpg', 'species'.",
        ),
        (
            "compare flowers.probus cars.probus iris --target species",
            "cars.probus is a ConformalRegressor.",
        ),
        ("compare cars.probus cars.probus mtcars", "cars.probus twice."),
        ("compare cars.probus mean.probus iris", "no column 'mpg'."),
        (
            "compare flowers.probus majority.probus titanic --target Sex",
            "flowers.probus predicts 'setosa', 'versicolor', 'virginica', but 'Sex' is 'female', 'male'.",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(run, command, text):
    code, out, err = run(command)
    assert (code, out) == (2, "")
    assert text in err


# -- explain -------------------------------------------------------------------------------------------


def test_the_reasons_of_a_text_are_its_words(run, models):
    people = probus.datasets.titanic().select("Survived", "Name", "Age")
    rows = people.drop("Survived")
    probus.save(probus.tabular(NaiveBayes()).fit(rows, people["Survived"]), models / "people.probus")
    rows.take([0, 2]).to_polars().write_csv("two.csv")
    lines = run("explain people.probus two.csv")[1].splitlines()
    assert '"Mr"' in lines[1]
    assert '"Miss"' in lines[2]
    assert not any(word in line for word in ("topic", "Name: score") for line in lines)


def test_reasons_are_a_line_for_each_row(run):
    code, out, err = run("explain cars.probus mtcars --keep name --top 2")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == "# coefficients, relative to the mean of these rows; what each adds to the prediction"
    assert lines[1].startswith("name=Mazda RX4 → 23.")
    assert "wt = 2.62 (+" in lines[1]
    assert len(lines) == 33


def test_a_cell_of_two_lines_does_not_break_the_line_of_its_row(run, tmp_path):
    (tmp_path / "new.csv").write_text('id,wt,hp\n"a\nb",2.5,90\nc,3,110\n')
    assert run("explain cars.probus new.csv --keep id")[1].splitlines()[1].startswith("id=a b → ")


def test_rows_without_a_name_are_counted_from_0_as_in_json(run):
    lines = run("explain cars.probus mtcars --top 1")[1].splitlines()
    assert lines[1].startswith("row 0 → ")
    assert lines[-1].startswith("row 31 → ")


def test_reasons_as_json_in_a_file(run, tmp_path):
    (tmp_path / "new.csv").write_text("id,wt,hp\n007,2.5,90\n008,3,110\n")
    assert run("explain cars.probus new.csv --json --keep id --top 1 --out r.json")[:2] == (0, "")
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["unit"] == "prediction"
    assert [row["id"] for row in found["rows"]] == ["007", "008"]
    assert [reason["column"] for reason in found["rows"][0]["reasons"]] == ["wt"]


def test_a_kept_column_does_not_vanish_behind_a_field_of_its_name(run, tmp_path):
    (tmp_path / "new.csv").write_text("row,wt,hp\n7,2.5,90\n8,3,110\n")
    assert (
        "--keep row: the explanations have a field of that name."
        in run("explain cars.probus new.csv --json --keep row")[2]
    )
    assert run("explain cars.probus new.csv --keep row")[1].splitlines()[1].startswith("row=7 → ")


def test_reasons_are_relative_to_a_background_and_of_a_class(run):
    lines = run("explain flowers.probus iris --background iris --label virginica --top 1")[1].splitlines()
    head = (
        r"# exact Shapley values of all coalitions, against 150 background rows; what each adds to the probability of"
    )
    assert lines[0].startswith(head + " virginica")
    assert "against virginica petal" in lines[1]
    assert "no class 'rose'" in run("explain flowers.probus iris --label rose")[2]


def test_reasons_of_other_models_say_how_they_were_found(run):
    assert run("explain flowers.probus iris")[1].startswith("# occlusion: the change if the value were missing")


# -- importance ----------------------------------------------------------------------------------------


def test_the_importance_of_columns_to_a_saved_model(run):
    code, out, err = run("importance cars.probus mtcars --scoring r2 --repeats 3")
    assert (code, err) == (0, "")
    assert out.startswith("Loss of R² when a column is shuffled: 32 given rows, about 100 % of them training rows")
    assert out.splitlines()[2].split()[0] == "wt"


def test_importances_by_several_methods_are_compared_and_written(run, tmp_path):
    assert "permutation" in run("importance majority.probus iris --method permutation --method correlation")[1]
    assert run("importance cars.probus mtcars --json --out i.json")[:2] == (0, "")
    found = json.loads((tmp_path / "i.json").read_text())
    assert {row["column"] for row in found["columns"]} == {"wt", "hp"}


def test_what_has_no_importance_is_refused(run):
    assert "method='shap'" in run("importance cars.probus mtcars --method shap")[2]
    assert "no column 'mpg'" in run("importance cars.probus iris")[2]
