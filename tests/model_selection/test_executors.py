"""Work on executors of the user: threads, processes, loky's, and whatever else has ``submit``."""

import threading
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor

import probus
from probus.errors import DataError
from probus.model_selection import resample
from probus.model_selection.engine import Borrowed, Here, OutOfTimeError, jobs_at_once, result_of, run_jobs, unwarned
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsClassifier
from probus.spaces import Integer, Real, Space
from probus.tuning import Random, tune
from probus.tuning._workers import Workers


def loky():
    from joblib.externals.loky import ProcessPoolExecutor as Loky

    return Loky(2)


class Minimal:
    """An executor with nothing but ``submit``."""

    def submit(self, function, *args, **named):
        future = Future()
        future.set_result(function(*args, **named))
        return future


KINDS = {
    "threads": lambda: ThreadPoolExecutor(3), "minimal": Minimal, "processes": lambda: ProcessPoolExecutor(2),
    "loky": loky,
}  # fmt: skip
SLOW = ("processes", "loky")


@pytest.fixture(
    scope="module", params=[pytest.param(each, marks=pytest.mark.slow if each in SLOW else ()) for each in KINDS]
)
def executor(request):
    made = KINDS[request.param]()
    yield made
    if hasattr(made, "shutdown"):
        assert made.submit(max, 1, 2).result() == 2, "it stays open"
        made.shutdown()


class Noisy(RegressorMixin, BaseEstimator):
    """Warns, and predicts the mean of what a random state draws."""

    def __init__(self, random_state=None, share=1.0):
        self.random_state, self.share = random_state, share

    def fit(self, X, y):
        warnings.warn("this is noise", UserWarning, stacklevel=1)
        drawn = np.random.default_rng(self.random_state).normal(size=3).mean()
        self.value_ = float(np.mean(y) + self.share * drawn)
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 3))
    return X, X @ [1.0, 2.0, 0.0] + random.normal(size=90)


def predictions(result):
    return [outcome.predicted.tolist() for outcome in result.outcomes]


def test_resample_finds_the_same_on_every_executor(executor, rows):
    how = {"cv": 4, "random_state": 0}
    model = RandomForestRegressor(5)
    assert predictions(resample(model, *rows, executor=executor, **how)) == predictions(resample(model, *rows, **how))


def test_warnings_are_counted_on_every_executor(executor, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = resample(Noisy(), *rows, cv=4, random_state=0, executor=executor)
    assert result.warnings == {"UserWarning: this is noise": 4}


def test_compare_finds_the_same_on_every_executor(executor, rows):
    how = {"cv": 3, "random_state": 0}
    models = {"noisy": Noisy(), "forest": RandomForestRegressor(3)}
    alone, other = probus.compare(models, *rows, **how), probus.compare(models, *rows, executor=executor, **how)
    assert str(other) == str(alone)


class Configured(Noisy):
    """Predicts another number where scikit-learn is configured to assume finite numbers."""

    def fit(self, X, y):
        self.value_ = float(get_config()["assume_finite"])
        return self


def test_the_configuration_of_scikit_learn_is_that_of_the_caller_on_every_executor(executor, rows):
    with config_context(assume_finite=True):
        found = resample(Configured(), *rows, cv=2, executor=executor)
    assert predictions(found) == [[1.0] * 45] * 2


@pytest.mark.slow
def test_the_configuration_of_scikit_learn_is_that_of_the_caller_in_processes(rows):
    with config_context(assume_finite=True):
        found = resample(Configured(), *rows, cv=2, n_jobs=2)
        tuned = tune(Configured(), *rows, space={"share": Real(0.1, 1.0)}, evaluations=1, cv=2, n_jobs=2)
        alone = tune(Configured(), *rows, space={"share": Real(0.1, 1.0)}, evaluations=1, cv=2)
    assert predictions(found) == [[1.0] * 45] * 2
    assert tuned.archive[0].scores == alone.archive[0].scores


def test_tune_finds_the_same_on_every_executor(executor, rows):
    space = Space({"share": Real(0.001, 1.0), "random_state": Integer(0, 5)})
    how = {"space": space, "tuner": Random(), "evaluations": 6, "cv": 3}
    alone, other = tune(Noisy(), *rows, **how), tune(Noisy(), *rows, executor=executor, **how)
    assert [each.scores for each in other.archive] == [each.scores for each in alone.archive]
    assert other.best_params_ == alone.best_params_


@pytest.mark.slow
def test_a_study_finds_the_same_on_every_executor(executor):
    models = {"bayes": NaiveBayes(), "k-NN": KNeighborsClassifier(50)}
    how = {"target": "species", "cv": 3, "models": models, "evaluations": 4, "progress": None}
    alone, other = probus.study("iris", **how), probus.study("iris", executor=executor, **how)
    assert other.best == alone.best
    assert float(other.score) == float(alone.score)
    tried = [[{**row, "seconds": 0} for row in each.tried] for each in (alone, other)]
    assert tried[0] == tried[1]


def test_what_cannot_submit_is_no_executor(rows):
    with pytest.raises(DataError, match=r"executor=4\.\n(?s:.)*an executor such as concurrent.futures.ThreadPoolExec"):
        resample(Noisy(), *rows, executor=4)


def test_a_limit_needs_processes_that_can_be_ended(rows):
    with pytest.raises(DataError, match=r"limit together with executor\.\n(?s:.)*limit with n_jobs"):
        tune(Noisy(), *rows, space={"share": Real(0.1, 1.0)}, limit=5, executor=Minimal())


def test_an_interrupt_cancels_what_waits_on_an_executor(rows):
    release, futures = threading.Event(), []

    class Watched(ThreadPoolExecutor):
        def submit(self, function, /, *args, **named):
            futures.append(super().submit(function, *args, **named))
            return futures[-1]

    def stop(done, total, name):
        if done == 1:
            raise KeyboardInterrupt

    with Watched(1) as executor:
        with pytest.raises(KeyboardInterrupt):
            resample(Noisy(), *rows, cv=20, random_state=0, executor=executor, progress=stop)
        release.set()
    assert all(future.done() for future in futures)
    assert 2 <= len(futures) <= 4, "no more are ahead than joblib has"


@pytest.mark.slow
def test_a_function_is_unpickled_once_in_each_process():
    """A search sends its whole table with the function of its jobs."""
    with ProcessPoolExecutor(1) as pool:
        executor = Borrowed(pool)
        calls = Calls()
        assert [executor.submit(calls.count).result() for _ in range(3)] == [1, 2, 3]
        assert calls.n == 0, "the processes are others"


class Calls:
    n = 0

    def count(self):
        self.n += 1
        return self.n


OWN = [Here, lambda: Borrowed(Minimal()), pytest.param(lambda: Workers(1), marks=pytest.mark.slow)]


@pytest.mark.parametrize("made", OWN, ids=["here", "borrowed", "processes"])
def test_ours_are_executors_too(made):
    with made() as executor:
        assert isinstance(executor, Executor)
        assert executor.submit(divmod, 7, 2).result() == (3, 1)
        assert executor.submit(int, "11", base=2).result() == 3
        assert list(executor.map(max, [1, 5], [2, 4])) == [2, 5]


@pytest.mark.slow
def test_an_own_process_passes_errors_on_and_goes_on():
    with Workers(1) as executor:
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result()
        assert executor.submit(divmod, 1, 1).result() == (1, 0)


def test_a_result_that_does_not_come_in_time_is_an_error():
    with pytest.raises(OutOfTimeError):
        result_of(Future(), iter([0.001, 0.0]).__next__)


def test_a_job_that_raises_a_timeout_is_not_waited_for():
    failed = Future()
    failed.set_exception(TimeoutError("of the job"))
    for left in (None, 10.0):
        with pytest.raises(TimeoutError, match="of the job"):
            result_of(failed, lambda: left)  # noqa: B023


def test_the_order_of_results_is_that_of_the_jobs(executor):
    assert list(run_jobs(divmod, [(n, 7) for n in range(40)], executor=executor)) == [divmod(n, 7) for n in range(40)]


def test_threads_that_ignore_warnings_restore_the_filters_of_the_process():
    before, entered, left = list(warnings.filters), threading.Barrier(2), threading.Event()

    def first():
        with unwarned():
            entered.wait()
        left.set()

    def second():
        with unwarned():
            entered.wait()
            left.wait()
            warnings.warn("not shown", UserWarning, stacklevel=1)

    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        with ThreadPoolExecutor(2) as pool:
            for each in [pool.submit(first), pool.submit(second)]:
                each.result()
    assert not raised
    assert list(warnings.filters) == before


def test_the_number_of_jobs_is_that_of_the_executor_unless_it_is_given():
    assert jobs_at_once(None, ThreadPoolExecutor(3)) == 3
    assert jobs_at_once(5, ThreadPoolExecutor(3)) == 5
    assert jobs_at_once(None, Minimal()) == joblib.cpu_count()
