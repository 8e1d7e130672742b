"""Drawings: every part is shown, boxes do not overlap, arrows go down, and the text of users cannot break the SVG."""

from xml.etree import ElementTree

import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from probus.naive_bayes import GaussianNB
from probus.pipeline import Graph, branch, by_kind, choose, diagram, select, sequence, stack, tabular, union
from probus.preprocessing import TableEncoder, TypedImputer

SVG = "{http://www.w3.org/2000/svg}"


def wide():
    coded = TypedImputer() >> by_kind(numeric=StandardScaler(), nominal=TableEncoder(), rest=TableEncoder()) >> union()
    members = branch(GaussianNB(), sequence(PCA(2), GaussianNB()), tabular(SVC()))
    return coded >> choose(none="passthrough", pca=PCA(2)) >> members >> stack(GaussianNB())


def skipping():
    nodes = [
        ("a", StandardScaler(), "input"),
        ("b", PCA(), "a"),
        ("c", PCA(), "b"),
        ("d", GaussianNB(), ["c", "input"]),
    ]
    return Graph(nodes)


def shapes(model):
    root = ElementTree.fromstring(model.to_svg())
    boxes = [tuple(float(each.get(side)) for side in ("x", "y", "width", "height")) for each in root.iter(f"{SVG}rect")]
    texts = [each.text for each in root.iter(f"{SVG}text")]
    return root, boxes, texts


@pytest.mark.parametrize("model", [wide(), skipping(), tabular(SVC())], ids=["wide", "skipping", "sequence"])
def test_boxes_lie_inside_the_picture_and_do_not_overlap(model):
    root, boxes, _ = shapes(model)
    _, _, width, height = map(float, root.get("viewBox").split())
    for x, y, w, h in boxes:
        assert x >= 0
        assert y >= 0
        assert x + w <= width + 1
        assert y + h <= height + 1
    for i, (x, y, w, _) in enumerate(boxes):
        for a, b, v, _ in boxes[:i]:
            assert b != y or a + v <= x or x + w <= a


def test_every_part_and_every_arrow_is_drawn():
    model = wide()
    root, boxes, texts = shapes(model)
    found = diagram(model)
    assert len(boxes) == len(found.boxes)
    assert {box.title for box in found.boxes} <= set(texts)
    assert len(list(root.iter(f"{SVG}path"))) == sum(len(box.inputs) for box in found.boxes)
    assert all(each < place for place, box in enumerate(found.boxes) for each in box.inputs)


def test_a_chain_is_a_straight_line():
    _, boxes, _ = shapes(tabular(SVC()))
    middles = {round(x + w / 2, 0) for x, _, w, _ in boxes}
    assert max(middles) - min(middles) <= 1


def test_the_text_has_a_line_for_each_part():
    graph = select(columns="age") >> branch(PCA(2), "passthrough") >> choose(tree=GaussianNB(), none=SVC(C=2))
    assert graph.to_text().splitlines() == [
        "input → 5 nodes",
        "● select       Select columns='age'",
        "● pca          PCA n_components=2",
        "● passthrough  unchanged             ← select",
        "● oneof: tree  GaussianNB            ← pca, passthrough",
        "○ oneof: none  SVC C=2               ← pca, passthrough",
    ]


def test_scikit_learns_compositions_are_drawn():
    coded = ColumnTransformer(
        [("n", StandardScaler(), ["age"]), ("c", OneHotEncoder(), ["sex"]), ("no", "drop", ["id"])],
        remainder="passthrough",
    )
    model = make_pipeline(coded, FeatureUnion([("pca", PCA()), ("same", "passthrough"), ("no", "drop")]), SVC())
    found = diagram(model)
    assert [box.title for box in found.boxes] == ["input", "n", "c", "remainder", "pca", "same", "svc"]
    assert found.boxes[1].detail == "StandardScaler of age"
    assert found.boxes[4].inputs == (1, 2, 3)


def test_notebooks_show_the_drawing_unless_text_is_configured():
    model = TypedImputer() >> GaussianNB()
    assert "<svg" in model._repr_mimebundle_()["text/html"]
    assert "<svg" in model._repr_html_()
    assert model._repr_mimebundle_()["text/plain"] == repr(model)


def test_names_and_parameters_are_escaped():
    graph = Graph([("<b>&", TableEncoder(), "input"), ('"x"', SVC(kernel="<script>"), "<b>&")])
    _, _, texts = shapes(graph)
    assert "<b>&" in texts
    assert "SVC kernel='<script>'" in texts
    assert "<script>" not in graph.to_svg()
