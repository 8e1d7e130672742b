"""Callbacks in fits of every network."""

import numpy as np
import pytest

from probus.callbacks import EarlyStopping, History, Verbose
from probus.errors import DataError
from probus.neural_network import (
    Autoencoder,
    ConvClassifier,
    MLPClassifier,
    MLPRegressor,
    RecurrentClassifier,
    TabularNetClassifier,
    TabularNetRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 6))
NOISE = RNG.integers(0, 2, 60)
SMALL = {"max_iter": 12, "random_state": 0, "device": "cpu"}
NETS = [
    MLPClassifier((4,), **SMALL),
    MLPRegressor((4,), normalisation="layer", **SMALL),
    TabularNetClassifier(n_models=2, n_members=2, hidden_layer_sizes=(4,), **SMALL),
    TabularNetRegressor(n_models=1, n_members=2, hidden_layer_sizes=(4,), **SMALL),
    ConvClassifier(channels=(4,), **SMALL),
    RecurrentClassifier(width=4, **SMALL),
    Autoencoder(2, **SMALL),
]
each_net = pytest.mark.parametrize("net", NETS, ids=lambda net: type(net).__name__)


class Stop:
    def begin(self, rounds):
        pass

    def after(self, finished):
        return finished.n_epochs == 2


@each_net
def test_a_callback_stops_the_training(net):
    history = History()
    net.fit(X, NOISE, callbacks=[history, Stop()])
    assert net.history_.ending == "stopped by a callback"
    assert net.n_iter_ == 2
    if type(net) is not TabularNetClassifier:  # whose history is that of the last network
        assert history.loss == net.history_.loss.tolist()
        assert history.validation == net.history_.validation.tolist()


@pytest.mark.filterwarnings("ignore:.*converged")
def test_early_stopping_waits_for_a_better_loss():
    net = MLPRegressor((4,), solver="sgd", learning_rate_init=1e-9, tol=0.0, n_iter_no_change=np.inf, max_iter=20)
    net.fit(X, NOISE, callbacks=[EarlyStopping(patience=3, tolerance=1e-3)])
    assert net.n_iter_ == 5  # the first, and more than three without an improvement


def test_a_line_for_each_epoch(capsys):
    TabularNetClassifier(n_models=1, n_members=2, hidden_layer_sizes=(4,), **{**SMALL, "max_iter": 2}).fit(
        X, NOISE, callbacks=[Verbose()]
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Iter", "Loss", "Validation", "Remaining", "Time"]
    assert [line.split()[0] for line in lines[1:]] == ["1", "2"]


def test_one_callback_needs_no_list():
    assert MLPClassifier((4,)).fit(X, NOISE, callbacks=Stop()).n_iter_ == 2


@pytest.mark.parametrize("wrong", [print, Stop, 3])
def test_what_is_no_callback_is_refused(wrong):
    with pytest.raises(DataError, match=r"Expected objects with the methods begin\(rounds\) and after\(finished\)"):
        MLPClassifier((4,)).fit(X, NOISE, callbacks=[wrong])


def test_lbfgs_has_no_epochs():
    with pytest.raises(DataError, match="solver='lbfgs' with callbacks"):
        MLPClassifier(solver="lbfgs").fit(X, NOISE, callbacks=[Stop()])
    with pytest.raises(DataError, match="solver='lbfgs' with callbacks"):
        MLPClassifier(solver="lbfgs").fit(X, NOISE, callbacks=Stop())


def test_further_names_are_the_same_classes():
    from probus.neural_network import ImageClassifier, TextClassifier

    assert (ImageClassifier, TextClassifier) == (ConvClassifier, RecurrentClassifier)
