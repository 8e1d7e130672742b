"""The training code of the in-context network: what the network may look at, what a leg goes on from, what is drawn."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from research.incontext import checkpoints  # noqa: E402
from research.incontext.checkpoints import averaged_file, load_half, newest, read_counts, read_full, save_full  # noqa: E402
from research.incontext.draws import Draw  # noqa: E402
from research.incontext.learnable import explained  # noqa: E402
from research.incontext.model import InContextNetwork, Settings  # noqa: E402
from research.incontext.optimiser import Muon  # noqa: E402
from research.incontext.prior import Shape, draw_tables  # noqa: E402
from research.incontext.train import loss  # noqa: E402

SMALL = Settings(width=16, heads=2, blocks=2, expansion=2, row_width=16, row_heads=2, row_blocks=1, row_expansion=2)
TASKS = pytest.mark.parametrize("of_classes", [True, False])


@pytest.fixture
def network():
    torch.manual_seed(0)
    small = InContextNetwork(SMALL)
    for parameter in small.parameters():  # layers that begin at zero would hide what they read
        parameter.data += 0.1 * torch.randn_like(parameter)
    return small.eval()


def drawn(of_classes):
    torch.manual_seed(1)
    return draw_tables(Draw("cpu"), Shape(4, 60, 5, 40, of_classes))


@TASKS
def test_a_kept_context_gives_what_one_pass_gives(network, of_classes):
    tables, identity = drawn(of_classes), torch.randn(4, 1, 5, 24)
    together = network(tables.X, tables.nominal, tables.y, tables.count, 40, identity)
    context = network.context(tables.X[:, :40], tables.nominal, tables.y[:, :40], tables.count, identity)
    torch.testing.assert_close(network.predict(tables.X[:, 40:], context), together)


@TASKS
def test_predictions_depend_on_neither_other_new_rows_nor_their_targets(network, of_classes):
    tables, identity = drawn(of_classes), torch.randn(4, 1, 5, 24)
    before = network(tables.X, tables.nominal, tables.y, tables.count, 40, identity)
    tables.X[:, 41:], tables.y[:, 40:] = 3.0, 1
    after = network(tables.X, tables.nominal, tables.y, tables.count, 40, identity)
    torch.testing.assert_close(after[:, 0], before[:, 0])
    assert not torch.allclose(after[:, 1:], before[:, 1:])


@TASKS
def test_the_order_of_training_rows_does_not_matter(network, of_classes):
    tables, identity, order = drawn(of_classes), torch.randn(4, 1, 5, 24), torch.randperm(40)
    known = (tables.X[:, :40], tables.y[:, :40])
    outputs = []
    for X, y in (known, tuple(part[:, order] for part in known)):
        context = network.context(X, tables.nominal, y, tables.count, identity)
        outputs.append(network.predict(tables.X[:, 40:], context))
    torch.testing.assert_close(*outputs, rtol=1e-3, atol=1e-4)


def test_probabilities_of_classes_that_a_table_lacks_are_zero(network):
    tables = drawn(True)
    share = network(tables.X, tables.nominal, tables.y, tables.count, 40).softmax(2)
    absent = torch.arange(10) >= tables.count[:, None]
    assert share.transpose(1, 2)[absent].max() == 0.0


def test_the_pinball_loss_is_least_at_the_quantiles(network):
    tables = drawn(False)
    y, levels = tables.y, network.levels
    z = ((y[:, 40:] - y[:, :40].mean(1, keepdim=True)) / (y[:, :40].std(1, correction=0, keepdim=True) + 1e-6)).asinh()

    def at(shift):
        quantiles = torch.quantile(z.clamp(-6, 6), levels, dim=1).T[:, None].expand(-1, 20, -1) + shift

        class Constant:
            levels = network.levels

            def __call__(self, *_):
                return quantiles

        return float(loss(Constant(), tables, 40))

    assert at(0.0) < at(0.2)
    assert at(0.0) < at(-0.2)


@TASKS
def test_drawn_tables_are_whole(of_classes):
    tables = drawn(of_classes)
    assert tables.X.shape == (4, 60, 5)
    assert not tables.X.isinf().any()
    assert tables.y.isfinite().all()
    assert tables.y.is_floating_point() is not of_classes
    if of_classes:
        assert (tables.y < tables.count[:, None]).all()
        assert tables.count.min() >= 2
        assert tables.count.max() <= 10


def test_signal_is_learnable_and_noise_is_not():
    torch.manual_seed(3)
    X = torch.randn(6, 300, 4)
    draw = Draw("cpu")
    assert (explained(draw, X, X[:, :, 0], False) > 0.3).all()
    assert (explained(draw, X, (X[:, :, 1] > 0).long(), True) > 0.2).all()
    assert (explained(draw, X, torch.randn(6, 300), False) < 0.015).all()


def test_a_leg_goes_on_from_what_was_saved(network, tmp_path):
    optimiser = Muon(network, "cpu")
    for of_classes in (True, False):
        tables = drawn(of_classes)
        loss(network, tables, 40).backward()
        optimiser.step(1e-3)
    save_full(tmp_path / "new", network, optimiser.arrays(), network.state_dict(), {"tables": 8})
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "state.json").write_text('{"tables": 9}')  # more tables, but no moments
    folder = newest([tmp_path / "old", tmp_path / "new"])
    weights, moments = read_full(folder)
    assert read_counts(folder) == {"tables": 8}
    assert all(torch.equal(weights[name], value) for name, value in network.state_dict().items())
    other = Muon(network, "cpu")
    other.load(moments)
    for name, value in optimiser.arrays().items():
        np.testing.assert_allclose(other.arrays()[name], value, rtol=0.01, atol=1e-8)


def test_training_goes_on_from_the_weights_of_the_package(tmp_path):
    folder = Path(checkpoints.__file__).parent / "checkpoint"
    assert newest([folder]) == folder
    assert load_half(averaged_file(folder)).keys() == InContextNetwork().state_dict().keys()
    assert averaged_file(tmp_path) == tmp_path / "averaged.npz"


def test_muon_moves_only_what_a_task_used(network):
    optimiser, head = Muon(network, "cpu"), network.number_hidden.weight.detach().clone()
    loss(network, drawn(True), 40).backward()
    before = network.class_hidden.weight.detach().clone()
    optimiser.step(1e-3)
    assert torch.equal(network.number_hidden.weight, head)
    assert not torch.equal(network.class_hidden.weight, before)
