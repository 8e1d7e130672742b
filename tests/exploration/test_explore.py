"""``probus.explore``: the result, its text and its page, and tables that have little to explore."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import probus
from probus.display import percent
from probus.errors import DataError
from probus.exploration import Exploration


@pytest.mark.slow
def test_sentences_come_in_order(penguins: Exploration) -> None:
    sentences = penguins.sentences()
    assert sentences[0] == "344 rows × 8 columns; 1 % of the values are missing."
    places = [
        next(i for i, text in enumerate(sentences) if start in text) for start in ("The rows form", "odd", "rule")
    ]
    assert places == sorted(places)
    assert all(sentence.endswith(".") for sentence in sentences)


def test_text_and_html_show_every_part(penguins: Exploration) -> None:
    text, html = repr(penguins), penguins._repr_html_()
    for part in ("Exploration of table", "what sets it apart", "because of", "confidence"):
        assert part in text
        assert part in html
    assert "<svg" in html


def test_the_frame_has_a_line_for_each_row(penguins: Exploration) -> None:
    frame = penguins.to_frame()
    assert frame.shape == (344, 2)
    assert frame["odd"].sum() == len(penguins.odd)
    assert frame["group"].to_list() == penguins.groups.labels.tolist()


def test_the_page_is_whole_and_offline(penguins: Exploration, tmp_path: Path) -> None:
    page = penguins.report(tmp_path / "page.html").read_text()
    for anchor in ("profile", "groups", "map", "odd", "rules"):
        assert f'id="{anchor}"' in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert "41,000" in page
    data = json.loads(penguins.report(tmp_path / "page.json").read_text())
    assert data["odd"]["rows"][0] == 7
    assert data["sentences"] == penguins.sentences()


def test_a_folder_that_does_not_exist_is_an_error(penguins: Exploration, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no folder"):
        penguins.report(tmp_path / "nowhere" / "page.html")


def test_the_same_seed_gives_the_same_result(with_groups: Any) -> None:
    table, _ = with_groups(7, n=120)
    first, second = (probus.explore(table, max_rows=60, random_state=3).to_dict() for _ in range(2))
    assert first == second


def test_useless_columns_are_left_out_and_named() -> None:
    rng = np.random.default_rng(0)
    n = 60
    table = {
        "id": np.arange(n),
        "constant": ["same"] * n,
        "nothing": [None] * n,
        "words": [" ".join(rng.choice(["the", "cat", "sat", "on", "a", "mat", "today"], 10)) for _ in range(n)],
        "day": np.datetime64("2024-01-01") + rng.integers(0, 300, n),
        "x": np.where(np.arange(n) == 3, np.inf, rng.normal(size=n)),
        "copy": rng.normal(size=n),
    }
    table["copy"] = table["x"]
    found = probus.explore(table)
    left_out = {each.column: each.why for each in found.left_out}
    assert left_out.pop("copy") == "a copy of another column"
    assert left_out == {"id": "identifier", "constant": "constant", "nothing": "no values", "words": "text"}
    assert any("id (identifier)" in note for note in found.caveats())


@pytest.mark.parametrize(
    "table",
    [
        {"x": [1.0, 2.0, 5.0], "y": ["a", "b", "a"]},
        {"x": np.arange(40.0) % 7},
        {"x": [1.0] * 30, "y": [None] * 30},
        {"word": ["one two three four five six seven eight nine ten"] * 3},
        {"x": [1.0, 2.0] * 30, "y": ["a", "b"] * 30, "z": ["u", "v"] * 30},
        {"x": [np.nan, 1.0] * 20, "y": [1.0, np.nan] * 20},
        {"x": [1.0]},
    ],
    ids=["three rows", "one column", "nothing varies", "text only", "duplicates only", "never both", "one row"],
)
def test_tables_with_little_in_them_are_explored(table: dict[str, list[object]], tmp_path: Path) -> None:
    found = probus.explore(table)
    assert found.sentences()
    assert "Exploration of table" in repr(found)
    assert found.report(tmp_path / "page.html").stat().st_size > 1000
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_what_was_sampled_is_among_the_sentences(with_groups: Any) -> None:
    table, _ = with_groups(7, n=200)
    sentences = probus.explore(table, max_rows=120).sentences()
    note = "Groups are looked for in 120 of 200 rows, drawn at random. Every row is then assigned to the nearest group."
    assert sentences[-1] == note
    assert not any("drawn at random" in sentence for sentence in probus.explore(table).sentences())


def test_groups_that_are_not_described_are_named(penguins: Exploration) -> None:
    first, second = penguins.groups.groups
    groups = (first, replace(second, stability=0.7), replace(second, number=3, stability=0.3))
    sentences = replace(penguins, groups=replace(penguins.groups, groups=groups)).sentences()
    shares = [f"{group.number} ({percent(group.share)} of the rows, {group.verdict})" for group in groups[1:]]
    assert f"Not described here: groups {shares[0]} and {shares[1]}." in sentences
    assert [group.verdict for group in groups[1:]] == ["doubtful", "not stable"]
    assert not any(sentence.startswith("Not described") for sentence in penguins.sentences())


def test_many_columns_are_bounded() -> None:
    rng = np.random.default_rng(0)
    found = probus.explore({f"c{j}": rng.normal(size=40) for j in range(100)})
    assert not len(found.groups)
    assert not len(found.rules)
    assert "Rules come from the first 60 of 100 columns that are used." in found.caveats()


def test_bad_input_is_an_error() -> None:
    with pytest.raises(DataError, match="0 rows"):
        probus.explore({"x": []})
    with pytest.raises(DataError, match=r"no column 'specie'.*\n.*Did you mean 'species'"):
        probus.explore("iris", drop=["specie"])
    with pytest.raises(DataError, match="max_rows=3"):
        probus.explore("iris", max_rows=3)
    with pytest.raises(DataError, match="random_state=None"):
        probus.explore("iris", random_state=None)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no column 'one'"):
        probus.explore("iris", drop="one")


def test_rows_without_any_value_are_mapped():
    random = np.random.default_rng(0)
    table = {"a": [np.nan, *random.normal(size=60)], "b": [None, *random.choice(["u", "v"], 60)]}
    assert len(probus.explore(table).map.positions) == 61


def test_a_task_is_explored_without_its_target() -> None:
    iris = probus.datasets.load("iris")
    found = probus.explore(probus.Task(iris, target="species"))
    assert found.to_dict() == probus.explore(iris, drop="species").to_dict()
