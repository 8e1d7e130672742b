"""``probus predict`` on the model of a study."""

import polars as pl
import pytest

import probus

QUICK = ("--models", "bayes", "--evaluations", "0")


def test_predictions_are_csv_with_a_probability_per_class(run, studied):
    code, out, err = run("predict", str(studied / "model.probus"), "iris")
    frame = pl.read_csv(out.encode())
    assert (code, err) == (0, "")
    assert frame.columns == [
        "prediction",
        "probability_setosa",
        "probability_versicolor",
        "probability_virginica",
    ]
    assert frame.height == 150
    assert frame.select(pl.sum_horizontal(pl.exclude("prediction"))).to_series().to_list() == pytest.approx([1.0] * 150)
    model = probus.load(studied / "model.probus")
    assert frame["prediction"].to_list() == model.predict(probus.datasets.iris()).tolist()


def test_predictions_go_to_a_file_where_asked(run, studied, tmp_path):
    iris = probus.datasets.iris().to_polars()
    iris.drop("species").reverse().write_csv("new.csv")
    assert run("predict", str(studied / "model.probus"), "new.csv", "--out", "p.csv")[:2] == (0, "")
    assert pl.read_csv("p.csv").height == 150


@pytest.mark.slow
def test_numbers_are_predicted_without_probabilities(run):
    run("study", "mtcars", "--target", "mpg", "--cv", "3", "--models", "linear", "--evaluations", "0")
    _, out, _ = run("predict", "model.probus", "mtcars")
    assert out.splitlines()[0] == "prediction"
    assert len(out.splitlines()) == 33


@pytest.mark.slow
def test_levels_never_seen_are_noted_on_standard_error(run):
    colours = ["red", "green", "blue"] * 20
    pl.DataFrame({"colour": colours, "y": ["no", "yes", "yes"] * 20}).write_csv("train.csv")
    assert run("study", "train.csv", "--target", "y", "--cv", "3", "--allow-leaks", *QUICK)[0] == 0
    pl.DataFrame({"colour": ["red", "mauve"]}).write_csv("new.csv")
    code, out, err = run("predict", "model.probus", "new.csv")
    assert code == 0
    assert len(out.splitlines()) == 3
    assert err.startswith("note: unknown levels became missing: 'colour': 'mauve'")


def test_a_column_the_model_needs_is_named(run, studied):
    probus.datasets.iris().drop("petal_width").to_polars().write_csv("new.csv")
    code, _, err = run("predict", str(studied / "model.probus"), "new.csv")
    assert code == 2
    assert "1 column missing from the new data: 'petal_width'." in err
