"""Ctrl-C while a kernel is compiled is answered afterwards; a model whose fit was interrupted is not fitted."""

import os
import signal
import threading

import numpy as np
import pytest
from numba.core import event
from research.interrupted_fits import fitted_again
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from probus.compiling import njit
from probus.compiling._compilation import uninterrupted
from probus.testing import estimators
from probus.testing._specimen import Specimen

pytestmark = pytest.mark.slow


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def python_answers():
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


def test_an_interrupt_is_answered_when_the_block_ends():
    done = []

    @uninterrupted()
    def work():
        interrupt()
        with uninterrupted():  # the outer block answers
            interrupt()
        done.append(True)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with uninterrupted():
        pass


def test_the_answer_of_the_program_is_given():
    answers = []
    signal.signal(signal.SIGINT, lambda number, frame: answers.append(number))
    with uninterrupted():
        interrupt()
        assert answers == []
    assert answers == [signal.SIGINT]


def test_an_error_of_the_block_restores_the_answer():
    with pytest.raises(ZeroDivisionError), uninterrupted():
        1 / 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("answer", [signal.SIG_IGN, signal.SIG_DFL])
def test_a_program_that_does_not_answer_in_python_is_left_alone(answer):
    signal.signal(signal.SIGINT, answer)
    with uninterrupted():
        assert signal.getsignal(signal.SIGINT) is answer
    assert signal.getsignal(signal.SIGINT) is answer


def test_threads_have_nothing_to_postpone():
    seen = []

    def work():
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


class Interrupts(event.Listener):
    """Interrupts when the compilation of a kernel has begun."""

    def on_start(self, event):
        interrupt()

    def on_end(self, event):
        pass


def test_a_kernel_is_compiled_before_an_interrupt_is_answered():
    @njit(nogil=True)
    def twice(x):
        return 2 * x

    with pytest.raises(KeyboardInterrupt), event.install_listener("numba:compile", Interrupts()):
        twice(1)
    assert len(twice.overloads) == 1
    assert twice(2) == 4


def test_a_model_whose_fit_was_interrupted_is_not_fitted():
    """Some attributes are there; those that every fitted model of the class has are not all."""
    for cls in (cls for cls in estimators() if cls.fitted and cls.examples()):  # samplers are no models
        if not get_tags(cls.examples()[0]).requires_fit:  # a Gaussian process predicts its prior
            continue
        specimen = Specimen(cls.examples()[0])
        model, table = specimen.fresh(), specimen.table(8)
        model.n_features_in_, model.schema_ = table.shape[1], table.schema
        model.feature_names_in_ = np.array(table.names, dtype=object)
        if "classes_" in cls.fitted:
            model.classes_ = np.array(["maybe", "no", "yes"])
        use = next((name for name in ("predict", "transform", "kneighbors") if hasattr(model, name)), None)
        if use is None:  # a clustering of the training rows only
            continue
        with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
            getattr(model, use)(table)


@pytest.mark.parametrize("seconds", [0.3, 0.8])
def test_a_process_is_whole_after_an_interrupted_first_fit(seconds):
    outcome, predictions = fitted_again("dummy.OneRClassifier", seconds)
    assert outcome in ("interrupted", "fitted first")
    assert predictions.count("yes") > 10
