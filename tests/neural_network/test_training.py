import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from torch import nn

from probus.errors import DataError
from probus.neural_network import _checkpoint, _display
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._torch import seeded
from probus.neural_network._training import Training, train

X = torch.from_numpy(np.random.default_rng(0).normal(size=(240, 4)).astype(np.float32))
Y = X[:, 0] * X[:, 1]


def network(width=8):
    with seeded(0, torch.device("cpu")):
        return nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Dropout(0.2), nn.Linear(width, 1))


def trained(module=None, *, rows=X[:200], target=Y[:200], held=True, callbacks=(), **settings):
    module = network() if module is None else module

    def loss(index):
        return ((module(rows[index])[:, 0] - target[index]) ** 2).mean()

    def score():
        return -float(((module(X[200:])[:, 0] - Y[200:]) ** 2).mean())

    plan = TrainingSettings(**{"batch_size": 16, "max_epochs": 6, "learning_rate": 0.01, **settings})
    key = _checkpoint.fingerprint(rows.numpy(), target.numpy())
    history = train(module, loss, len(rows), plan, score=score if held else None, data=key, callbacks=callbacks)
    return module, history


def weights_of(module):
    return torch.cat([weight.detach().ravel() for weight in module.parameters()]).numpy()


def test_the_loss_falls_and_the_best_weights_are_kept():
    module, history = trained(max_epochs=30)
    assert history.loss[-1] < 0.8 * history.loss[0]
    best = history.best_epoch
    assert history.validation[best - 1] == history.validation.max()
    with torch.no_grad():
        score = -float(((module(X[200:])[:, 0] - Y[200:]) ** 2).mean())
    assert score == pytest.approx(history.validation.max(), rel=1e-6)


def test_plain_gradient_descent_is_the_formula():
    module = nn.Linear(4, 1)
    w, b = module.weight.detach().numpy()[0].astype(float), float(module.bias.detach()[0])
    trained(module, held=False, optimiser="gradient_descent", batch_size=200, max_epochs=3, learning_rate=0.1)
    rows, target = X[:200].numpy().astype(float), Y[:200].numpy().astype(float)
    for _ in range(3):
        residual = rows @ w + b - target
        w, b = w - 0.1 * 2.0 * residual @ rows / 200, b - 0.1 * 2.0 * residual.mean()
    np.testing.assert_allclose(module.weight.detach().numpy()[0], w, atol=1e-5)


def test_the_generator_of_the_process_is_left_as_it_was():
    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)
    trained()
    assert torch.equal(torch.rand(3), expected)


def test_same_seed_same_weights():
    assert weights_of(trained(seed=1)[0]).tobytes() == weights_of(trained(seed=1)[0]).tobytes()
    assert weights_of(trained(seed=1)[0]).tobytes() != weights_of(trained(seed=2)[0]).tobytes()


@pytest.mark.parametrize("optimiser", ["adam", "nadam", "radam", "rmsprop", "adagrad", "adadelta", "sgd"])
def test_a_checkpoint_goes_on_as_if_there_had_been_no_stop(optimiser, tmp_path):
    whole, expected = trained(optimiser=optimiser)
    path = tmp_path / "net.ckpt"
    trained(optimiser=optimiser, max_epochs=2, checkpoint=path)
    resumed, history = trained(optimiser=optimiser, checkpoint=path)
    assert weights_of(resumed).tobytes() == weights_of(whole).tobytes()
    assert history.loss.tolist() == expected.loss.tolist()
    assert history.validation.tolist() == expected.validation.tolist()


def test_a_finished_checkpoint_trains_no_further(tmp_path):
    path = tmp_path / "net.ckpt"
    first, history = trained(checkpoint=path)
    again, same = trained(checkpoint=path)
    assert weights_of(first).tobytes() == weights_of(again).tobytes()
    assert len(history.loss) == len(same.loss)


@pytest.mark.slow
def test_a_killed_process_loses_at_most_one_epoch(tmp_path):
    path = tmp_path / "net.ckpt"
    code = f"""
        import os, signal
        from importlib.util import module_from_spec, spec_from_file_location
        spec = spec_from_file_location("here", {str(__file__)!r})
        here = module_from_spec(spec)
        spec.loader.exec_module(here)

        class Kill:
            def begin(self, rounds): pass
            def after(self, finished):
                if finished.n_epochs == 4:
                    os.kill(os.getpid(), signal.SIGKILL)

        here.trained(checkpoint={str(path)!r}, callbacks=[Kill()])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    header, _ = _checkpoint.read_checkpoint(path, {})
    assert len(header["state"]["loss"]) == 3
    assert weights_of(trained(checkpoint=path)[0]).tobytes() == weights_of(trained()[0]).tobytes()


def test_a_checkpoint_of_another_network_is_refused(tmp_path):
    trained(max_epochs=1, checkpoint=tmp_path / "c")
    with pytest.raises(DataError, match=r"is of another network: 0.weight was \[8, 4\] and is \[5, 4\]"):
        trained(network(5), checkpoint=tmp_path / "c")


def test_a_checkpoint_of_other_data_is_refused(tmp_path):
    trained(max_epochs=1, checkpoint=tmp_path / "c")
    with pytest.raises(DataError, match="is of other data"):
        trained(target=Y[:200] + 1.0, checkpoint=tmp_path / "c")


def test_a_checkpoint_of_other_settings_is_refused(tmp_path):
    trained(max_epochs=1, checkpoint=tmp_path / "c")
    with pytest.raises(DataError, match=r"other settings: learning_rate was 0.01 and is 0.5"):
        trained(learning_rate=0.5, checkpoint=tmp_path / "c")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"not a checkpoint"])
def test_a_damaged_checkpoint_is_refused(content, tmp_path):
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(DataError, match="is not a checkpoint, or is damaged"):
        trained(checkpoint=tmp_path / "c")


def test_a_checkpoint_needs_a_folder(tmp_path):
    with pytest.raises(DataError, match="there is no folder"):
        trained(max_epochs=1, checkpoint=tmp_path / "none" / "c")


def test_a_loss_that_is_no_number_names_epoch_and_step():
    with pytest.raises(DataError, match=r"the loss is (inf|nan) in epoch 1, step \d+ of 13.*(\n.*)Lower the learning"):
        trained(optimiser="gradient_descent", learning_rate=1e30, max_epochs=2)


def test_out_of_memory_halves_the_batch_and_says_so():
    largest = 5

    class Small(nn.Linear):
        def forward(self, rows):
            if self.training and len(rows) > largest:
                raise torch.OutOfMemoryError("injected")
            return super().forward(rows)

    with seeded(0, torch.device("cpu")):
        module, reference = Small(4, 1), nn.Linear(4, 1)
    reference.load_state_dict(module.state_dict())
    with pytest.warns(ResourceWarning, match="batches of 16 rows are computed in parts of 4"):
        trained(module)
    trained(reference)
    np.testing.assert_allclose(weights_of(module), weights_of(reference), atol=1e-5)


def test_a_row_that_does_not_fit_into_memory_is_an_error():
    class Never(nn.Linear):
        def forward(self, rows):
            raise torch.OutOfMemoryError("injected")

    with pytest.raises(DataError, match="out of memory on cpu with a single row"):
        trained(Never(4, 1), batch_size=1)


class _Stop:
    def __init__(self, epoch, action):
        self._epoch, self._action = epoch, action

    def begin(self, rounds):
        pass

    def after(self, finished):
        return finished.n_epochs == self._epoch and self._action()


def _interrupt():
    raise KeyboardInterrupt


def test_an_interrupt_keeps_the_best_weights_so_far():
    with pytest.warns(UserWarning, match="interrupted"):
        module, history = trained(max_epochs=50, callbacks=[_Stop(3, _interrupt)])
    assert len(history.loss) == 3
    assert history.ending == "interrupted"
    assert weights_of(module).tobytes() == weights_of(trained(max_epochs=3)[0]).tobytes()


def test_a_callback_stops_the_training():
    _, history = trained(callbacks=[_Stop(2, lambda: True)])
    assert len(history.loss) == 2
    assert history.ending == "stopped by a callback"


def test_training_stops_where_the_score_stalls():
    _, history = trained(max_epochs=200, patience=2, tol=10.0)
    assert len(history.loss) == 4
    assert history.ending == "no more improvement"


def test_without_held_out_rows_the_loss_decides():
    _, history = trained(held=False, max_epochs=200, patience=2, tol=10.0)
    assert len(history.loss) == 4


def test_adaptive_lowers_the_rate_before_it_stops():
    _, history = trained(max_epochs=200, patience=1, tol=10.0, schedule="adaptive", learning_rate=1e-4)
    rates = np.unique(history.learning_rate)[::-1]
    np.testing.assert_allclose(rates, 1e-4 / 5.0 ** np.arange(len(rates)))
    assert rates[-1] <= 1e-6 < rates[-2]
    assert history.ending == "no more improvement"


@pytest.mark.parametrize("schedule", ["cosine", "one_cycle"])
def test_the_rate_of_a_schedule_ends_near_zero(schedule):
    _, history = trained(schedule=schedule, max_epochs=20)
    assert history.learning_rate[-1] < 1e-4
    assert history.learning_rate.max() <= 0.01


def test_gradients_are_clipped():
    before = weights_of(network())
    module, _ = trained(clip=1e-6, optimiser="gradient_descent", learning_rate=1.0, max_epochs=1)
    assert np.linalg.norm(weights_of(module) - before) < 20e-6


def test_weight_decay_shrinks_weights_and_not_biases():
    module = nn.Linear(4, 1)
    nn.init.ones_(module.bias)
    rows = torch.zeros(50, 4)
    trained(module, rows=rows, target=torch.ones(50), weight_decay=1.0, optimiser="adamw", learning_rate=0.1)
    assert float(module.bias.detach()[0]) == pytest.approx(1.0)
    assert float(module.weight.detach().abs().max()) < 0.1


def test_groups_have_rates_of_their_own():
    module = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 1))
    before = module[0].weight.detach().clone()
    groups = [{"params": module[0].parameters(), "rate": 0.0}, {"params": module[1].parameters()}]
    plan = TrainingSettings(max_epochs=1)
    train(module, lambda rows: (module(X[rows]) ** 2).mean(), 200, plan, groups=groups)
    assert torch.equal(module[0].weight, before)


def test_a_last_row_joins_the_batch_before_it():
    sizes = []
    module = nn.Linear(4, 1)

    def loss(rows):
        sizes.append(len(rows))
        return module(X[rows]).mean()

    training = Training(module, loss, 33, TrainingSettings(batch_size=16, max_epochs=1))
    training.run()
    assert sizes == [16, 17]


def test_short_floats_are_close():
    module, history = trained(precision="bfloat16")
    assert history.loss[-1] == pytest.approx(trained()[1].loss[-1], rel=0.1)
    assert next(module.parameters()).dtype == torch.float32


def test_verbose_prints_loss_and_score(capsys):
    trained(verbose=2, max_epochs=2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Iteration", "Loss", "Validation", "Remaining", "Time"]
    assert [line.split()[0] for line in lines[1:]] == ["1", "2"]


def test_the_bar_shows_loss_and_best_score():
    class Progress:
        def __init__(self):
            self.shown = []

        def add_task(self, description, total):
            return total

        def update(self, task, completed, description=""):
            self.shown.append((completed, description))

    progress = Progress()
    _, history = trained(callbacks=[_display._Bar(progress, 6)], max_epochs=3)
    assert [completed for completed, _ in progress.shown] == [0, 1, 2, 3]
    last, best = history.validation[-1], history.validation.max()
    assert progress.shown[-1][1] == f"loss {history.loss[-1]:.4g} · validation {last:.4g} (best {best:.4g})"


def test_the_history_is_a_result():
    _, history = trained()
    assert history.to_frame().columns == ["epoch", "loss", "validation", "learning_rate"]
    assert repr(history).startswith("6 epochs: all epochs done\n  loss ")
    assert history.plot().get_xlabel() == "epoch"
