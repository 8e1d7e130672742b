import json

import numpy as np
import pytest

from probus.tree.export import trace


@pytest.mark.parametrize("surrogates", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_a_trace_ends_in_the_leaf_of_the_row(random_model, mixed_table, seed, surrogates):
    model, table = random_model(seed, surrogates), mixed_table(200 + seed, missing=0.4)
    ways = trace(model, table)
    assert [way.leaf for way in ways] == model.apply(table).tolist()
    path = model.decision_path(table)
    for row, way in enumerate(ways):
        assert [*(step.node for step in way.steps), way.leaf] == path[row].indices.tolist()


def test_words_of_every_kind_of_step(random_model, mixed_table):
    text = "\n".join(
        repr(trace(random_model(seed, seed % 2 == 0), mixed_table(seed, missing=0.4))) for seed in range(12)
    )
    for phrase in (
        "wood = ash in {ash, ",
        "wood = elm → ",
        "size = L > M → right",
        "when = 2024-",
        "height is missing → ",
        "wood is missing; used ",
        " instead (agreement 0.",
        "; no surrogate applies, so it follows the majority → ",
        " is not a known level here → ",
        "leaf ",
    ):
        assert phrase in text, phrase


def test_one_row_may_be_flat_or_a_dict(as_ours, random_model):
    from sklearn.tree import DecisionTreeRegressor

    fitted = as_ours(DecisionTreeRegressor().fit([[0.0, 5.0], [1.0, 5.0]], [3.0, 4.0]))
    assert repr(trace(fitted, [0.25, 5.0])) == "x[0] = 0.25 ≤ 0.5 → left\nleaf 1: 3 (n = 1)"
    assert repr(trace(fitted, np.array([0.75, 5.0]))).startswith("x[0] = 0.75 > 0.5 → right")
    row = {"height": 0.1, "wood": "elm", "size": "M", "when": 19750}
    model = random_model(1)
    assert trace(model, row)[0].leaf == model.apply({name: [value] for name, value in row.items()})[0]


def test_text_html_and_data(random_model, mixed_table):
    ways = trace(random_model(2, surrogates=True), mixed_table(2, n_rows=3))
    assert repr(ways).startswith("row 0\n  ")
    assert len(ways[1:]) == 2
    assert json.loads(json.dumps(ways.to_dict()))[0]["leaf"] == ways[0].leaf
    assert set(ways.to_frame()["row"]) == {0, 1, 2}
    assert ways[0]._repr_html_().count("<li>") == len(ways[0].steps)
    assert "<p>row 0</p><ol>" in ways._repr_html_()
