"""One step of a network as a result: the XOR step of the notes, text, table, HTML and picture."""

import json

import numpy as np
import pytest

from probus.neural_network import Dense, Network

XOR_NET = Network([
    Dense(weights=[[-0.07, 0.94], [0.22, 0.46]], bias=[-0.46, 0.10], activation="sigmoid"),
    Dense(weights=[[-0.22], [0.58]], bias=[0.78], activation="sigmoid"),
])  # fmt: skip


@pytest.fixture
def step():
    return XOR_NET.explain([1, 0], 1, learning_rate=0.5)


def test_the_xor_step_of_the_notes(step):
    """Slides "Basic Backpropagation 1" with rounded weights, to 0.001; from these weights to 0.0001."""
    np.testing.assert_allclose(step.sums[0], [-0.53, 1.04], atol=1e-12)
    np.testing.assert_allclose(step.values[0], [0.3705, 0.7389], atol=5e-5)
    assert step.gradients[1][0][0, 0] == pytest.approx(-0.0171, abs=1e-3)
    assert step.gradients[0][0][0, 0] == pytest.approx(0.0024, abs=1e-3)
    hidden, output = step.updated.layers
    np.testing.assert_allclose(output.weights.ravel(), [-0.2116, 0.5967], atol=5e-5)
    np.testing.assert_allclose(output.bias, [0.8026], atol=5e-5)
    np.testing.assert_allclose(hidden.weights, [[-0.0712, 0.9425], [0.22, 0.46]], atol=5e-5)
    np.testing.assert_allclose(hidden.bias, [-0.4612, 0.1025], atol=5e-5)
    assert step.updated.predict([1, 0])[0] == pytest.approx(0.7624, abs=5e-5)
    assert step.new_loss == pytest.approx(0.0282, abs=5e-5)
    slide = [-0.0712, 0.9426, 0.22, 0.46, -0.4612, 0.1026, -0.2115, 0.5970, 0.8030]
    ours = np.concatenate([hidden.weights.ravel(), hidden.bias, output.weights.ravel(), output.bias])
    np.testing.assert_allclose(ours, slide, atol=1e-3)


def test_layer_errors_follow_the_chain_of_the_notes(step):
    """r = (ŷ − y) h′, then r v h′: each δ from the one after it."""
    f, h = step.output[0], step.values[0]
    output_error = (f - 1) * f * (1 - f)
    assert step.errors[1][0] == pytest.approx(output_error)
    np.testing.assert_allclose(step.errors[0], output_error * np.array([-0.22, 0.58]) * h * (1 - h))


def test_the_network_is_left_unchanged(step):
    np.testing.assert_array_equal(XOR_NET.layers[1].weights.ravel(), [-0.22, 0.58])


def test_the_text_shows_every_number(step):
    text = repr(step)
    for part in (
        "One step of a network 2 → 2 sigmoid → 1 sigmoid: loss 0.02994, after the step 0.02823",
        "h₁    -0.07·1 + 0.22·0 − 0.46            -0.53  0.3705",
        "L = ½ Σ (y − f)² = ½ (1 − 0.7553)² = 0.02994",
        "h₁    -0.22·(-0.04523) =   0.00995  0.2332   0.002321",
        "u₁   h₁ → f      -0.22  -0.04523·0.3705 =   -0.01676   -0.2116",
        "c    bias of f    0.78  δ =                 -0.04523    0.8026",
        "After the step: output 0.7624, loss 0.02823",
    ):
        assert part in text


def test_the_table_has_a_row_of_each_parameter(step):
    frame = step.to_frame()
    assert frame.columns == ["layer", "parameter", "from", "to", "value", "gradient", "new"]
    assert frame["parameter"].to_list() == ["W₁₁", "W₂₁", "b₁", "W₁₂", "W₂₂", "b₂", "u₁", "u₂", "c"]
    np.testing.assert_allclose(frame["new"], frame["value"] - 0.5 * frame["gradient"])


def test_html_has_the_picture_in_the_colour_of_the_page(step):
    html = step._repr_html_()
    assert html.count("<svg") == 1
    assert "currentColor" in html
    assert "fill: #ffffff" not in html
    assert "0.371" in html


def test_files(step, tmp_path):
    for ending in ("html", "txt", "json", "csv", "png", "svg"):
        assert step.save(tmp_path / f"step.{ending}").stat().st_size > 300
    read = json.loads((tmp_path / "step.json").read_text())
    assert read["updated"]["layers"][1]["weights"][0][0] == pytest.approx(-0.2116, abs=5e-5)


def test_softmax_and_decay_are_written_out():
    net = Network([Dense(3, "softmax", weight_decay=0.1)], loss="cross_entropy", random_state=0)
    text = repr(net.explain([1.0, 2.0], 2))
    assert "diag(a) − aaᵀ" in text
    assert "L = −Σ y log f = −log 0." in text
    assert "and ½ λ ‖W‖² of the layers = 0.1" in text
    assert " + 0.1·" in text


def test_a_large_net_is_cut_and_drawn():
    net = Network([Dense(30, "relu"), Dense(12, "tanh"), Dense(2)], random_state=0)
    step = net.explain(np.arange(9.0), [1.0, 0.0], learning_rate=0.01)
    text = repr(step)
    assert "more rows: see to_frame()" in text
    assert max(map(len, text.splitlines())) < 150
    assert len(step.to_frame()) == 9 * 30 + 30 + 30 * 12 + 12 + 12 * 2 + 2
    ax = step.plot()
    written = [each.get_text() for each in ax.texts]
    assert written.count("⋮") == 3
    assert "h⁽¹⁾₃₀" in written


def test_written_weights_do_not_overlap():
    """The middles of labels are apart, for nets of several shapes."""
    for shape in ((2, 2, 1), (3, 4, 3), (4, 5, 2), (1, 6, 1)):
        net = Network([Dense(units, "tanh") for units in shape[1:]], random_state=1)
        ax = net.explain(np.ones(shape[0]), np.zeros(shape[-1])).plot()
        places = np.array([each.get_position() for each in ax.texts if each.get_rotation_mode() == "anchor"])
        apart = np.linalg.norm(places[:, None] - places, axis=2) + 9 * np.eye(len(places))
        assert apart.min() > 0.12, shape


@pytest.mark.parametrize("loss", ["squared", "absolute", "hinge"])
def test_one_unit_is_named_as_in_regression(loss):
    step = Network([Dense(1)], loss=loss, random_state=0).explain([0.5, 1.0], 1)
    assert step.to_frame()["parameter"].to_list() == ["w₁", "w₂", "b"]
