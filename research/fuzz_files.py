"""``python -m research.fuzz_files [--mutations N] [--state FILE]``: what do forged model files do to this process?

Every estimator of Probus is fitted on a small table of mixed columns and saved, every class of scikit-learn that a file
may contain, and models that contain others. Each seed changes one of these files (see ``file_mutations``); ``load``
must return a model or raise a ``ModelFileError``, and the model's methods must return or raise. Files are tried in
child processes of at most 1 GB beyond what the parent has, with five seconds of processor time and five minutes of
waiting for each file. Failures are printed with their seed: ``--seed N`` repeats one in this process. With ``--state``
the run continues where the last one ended.

``--bounds`` compiles the kernels with Numba's bounds checks, so that an index outside of its array is found even where
the memory there happens to be readable.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pickle
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NoReturn

from probus.errors import ModelFileError
from probus.persistence import inspect, load, save
from probus.testing import estimators
from probus.testing._specimen import Specimen
from research.borrowed_models import borrowed_models
from research.composed_models import composed_models
from research.file_mutations import mutated

PROCESSOR_SECONDS, WAITING_SECONDS = 5, 300
MORE_BYTES = 1 << 30
BATCH = 200  # files for each child process
OF_ROWS = (
    "predict", "predict_proba", "decision_function", "score_samples", "predict_interval", "predict_set", "quantiles",
    "transform", "encode", "kneighbors", "kneighbors_graph", "radius_neighbors", "apply", "decision_path",
    "staged_predict", "shap_values", "explain", "contributions", "latent_mean_and_variance",
)  # fmt: skip
OF_NOTHING = (
    "__repr__", "summary", "rules", "regions", "export_text", "to_text", "sample", "get_covariance",
    "importances", "get_feature_names_out",
)  # fmt: skip
BAD = ("load raised", "died", "took too long", "used too much memory", "read outside of an array")


@dataclass(frozen=True)
class Good:
    """A model file as saved, and rows to predict."""

    name: str
    data: bytes
    rows: Any


def good_files(folder: Path, n_examples: int | None = None) -> list[Good]:
    """The files of every estimator with the parameters of its examples, of scikit-learn's classes, of nested models."""
    files = []
    for cls in estimators():
        for model in cls.examples()[:n_examples]:
            specimen = Specimen(model)
            path = save(specimen.fitted(), folder / "good.probus")
            good = Good(" ".join(repr(model).split()), path.read_bytes(), specimen.table(8, seed=3))
            files.append(good)
    for model, rows in [*borrowed_models(), *composed_models()]:
        data = save(model, folder / "good.probus").read_bytes()
        files.append(Good(" ".join(repr(model).split()), data, rows))
    return files


def used_once(goods: list[Good], folder: Path) -> list[Good]:
    """The files, after loading and using each, so that child processes have nothing to compile."""
    for good in goods:
        outcome = tried(good, good.data, folder)
        assert outcome.startswith("loaded"), (good.name, outcome)
    return goods


def tried(good: Good, data: bytes, folder: Path, *, raise_: bool = False) -> str:
    """What happened: the file is refused or loaded, and methods of the loaded model return or raise."""
    path = folder / "forged.probus"
    path.write_bytes(data)
    try:
        with contextlib.suppress(ModelFileError):
            repr(inspect(path))
        model = load(path)
    except ModelFileError:
        return "refused"
    except MemoryError:
        return "used too much memory"
    except Exception as error:
        if raise_:
            raise
        return f"load raised {type(error).__name__}"
    problems = [_used(model, name, (good.rows,), raise_) for name in OF_ROWS]
    problems += [_used(model, name, (), raise_) for name in OF_NOTHING]
    problems.append(_used(model, "cut", (2,), raise_))
    problems.append(_used(model, "save", (path.with_name("again.probus"),), raise_))
    found = next((problem for problem in problems if problem in BAD), next(filter(None, problems), None))
    return found if found in BAD else f"loaded, then {found}" if found else "loaded and used"


def _used(model: Any, name: str, arguments: tuple, raise_: bool) -> str | None:
    try:
        if name == "save":
            save(model, *arguments)
        elif hasattr(model, name):
            returned = getattr(model, name)(*arguments)
            if isinstance(returned, Iterator):
                list(returned)
    except MemoryError:
        return "used too much memory"
    except Exception as error:
        if raise_:
            traceback.print_exc()
        outside = isinstance(error, IndexError) and str(error) == "index is out of bounds"  # the words of Numba
        return "read outside of an array" if outside else f"{name} raised {type(error).__name__}"
    return None


def forged(goods: list[Good], seed: int) -> tuple[Good, bytes]:
    """The file of a seed, and what it was made from."""
    rng = Random(seed)
    good = goods[rng.randrange(len(goods))]
    return good, mutated(good.data, rng)


# -- child processes -----------------------------------------------------------------------------------


def outcomes(goods: list[Good], seeds: range, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Seed, model and outcome of each; a child that dies is followed by another."""
    begin = seeds.start
    while begin < seeds.stop:
        done = begin
        for seed, name, outcome in _of_one_child(goods, range(begin, min(begin + BATCH, seeds.stop)), folder):
            yield seed, name, outcome
            done = seed + 1
        begin = done


def _of_one_child(goods: list[Good], seeds: range, folder: Path) -> Iterator[tuple[int, str, str]]:
    readable, writable = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(readable)
        _child(goods, seeds, folder, writable)
    os.close(writable)
    seed = seeds.start
    with open(readable) as lines:
        for line in lines:
            yield seed, *line.rstrip("\n").split("\t")  # type: ignore[misc]
            seed += 1
    _, status = os.waitpid(child, 0)
    if seed < seeds.stop:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        slow = {signal.SIGPROF: "took too long", signal.SIGALRM: "took too long, waiting"}
        outcome = slow.get(number) or f"died of {signal.Signals(number).name if number else status}"
        yield seed, forged(goods, seed)[0].name, outcome


def _child(goods: list[Good], seeds: range, folder: Path, writable: int) -> None:
    with open("/proc/self/statm") as memory:
        limit = int(memory.read().split()[0]) * resource.getpagesize() + MORE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for shown in (1, 2):  # a forged parameter may be verbose=1
        os.dup2(nowhere, shown)
    for alarm in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(alarm, signal.SIG_DFL)
    good = goods[0]
    try:
        for seed in seeds:
            try:
                good, data = forged(goods, seed)
            except MemoryError:  # a few mutations repeat nested lists until the file has hundreds of megabytes
                os.write(writable, b"?\tnot forged, for its size\n")
                continue
            signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS)
            signal.setitimer(signal.ITIMER_REAL, WAITING_SECONDS)
            outcome = tried(good, data, folder)
            for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
                signal.setitimer(timer, 0)
            os.write(writable, f"{good.name}\t{outcome}\n".encode())
    except BaseException as error:
        os.write(writable, f"{good.name}\tdied of {error!r:.200}\n".encode())
    finally:
        os._exit(0)


# -- the command ---------------------------------------------------------------------------------------


def fuzz(seeds: range, goods: list[Good], *, state: Path | None = None) -> tuple[Counter, list[str]]:
    """How often each outcome occurred, and a line for each failure; printed as they are found."""
    counts: Counter = Counter()
    failures: list[str] = []
    if state is not None and state.exists():
        former = json.loads(state.read_text())
        counts, failures, seeds = Counter(former["counts"]), former["failures"], range(former["next"], seeds.stop)
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        used_once(goods, Path(name))
        print(f"{len(goods)} models, seeds {seeds.start} to {seeds.stop - 1}", flush=True)
        for seed, model, outcome in outcomes(goods, seeds, Path(name)):
            counts[outcome] += 1
            if outcome.startswith(BAD):
                failures.append(f"seed {seed}: {outcome}: {model[:100]}")
                print(failures[-1], flush=True)
            if state is not None and (seed + 1) % BATCH == 0:
                state.write_text(json.dumps({"next": seed + 1, "counts": counts, "failures": failures}))
    return counts, failures


def repeated(seed: int, goods: list[Good], *, keep: Path | None = None) -> None:
    """Try one seed in this process, with the traceback of what it raises."""
    good, data = forged(goods, seed)
    if keep is not None:
        keep.write_bytes(data)
    print(good.name, flush=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(tried(good, data, Path(folder), raise_=True))


def _made(folder: Path, n_examples: int | None) -> list[Good]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return good_files(folder, n_examples)


def _with_bounds_checks(goods: list[Good]) -> NoReturn:
    """Start again with kernels that check bounds; the files stay those that kernels without checks have made."""
    with tempfile.NamedTemporaryFile("wb", suffix=".pickle", delete=False) as file:
        pickle.dump(goods, file)
    cache = str(Path(".pytest_cache", "numba_bounds").absolute())  # code with and without checks has one cache key
    os.environ |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache, "FUZZED_FILES": file.name}
    os.execv(sys.executable, [sys.executable, "-m", "research.fuzz_files", *sys.argv[1:]])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m research.fuzz_files", description=__doc__.split("\n")[0])
    parser.add_argument("--mutations", type=int, default=20_000, help="how many seeds to try")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--examples", type=int, help="parameters to try of each estimator; all if not given")
    parser.add_argument("--state", type=Path, help="a file to continue from")
    parser.add_argument("--seed", type=int, help="repeat this seed in this process")
    parser.add_argument("--keep", type=Path, help="with --seed: where to write the forged file")
    parser.add_argument("--bounds", action="store_true", help="compile kernels with bounds checks")
    given = parser.parse_args()
    if given.bounds and "FUZZED_FILES" in os.environ:
        goods = pickle.loads(Path(os.environ["FUZZED_FILES"]).read_bytes())
    else:
        with tempfile.TemporaryDirectory() as folder:
            goods = _made(Path(folder), given.examples)
        if given.bounds:
            _with_bounds_checks(goods)
    if given.seed is not None:
        repeated(given.seed, goods, keep=given.keep)
        return 0
    counts, failures = fuzz(range(given.first, given.first + given.mutations), goods, state=given.state)
    for outcome, count in counts.most_common():
        print(f"{count:9,}  {outcome}")
    print(f"{len(failures)} failures in {counts.total():,} files")
    return min(len(failures), 1)


if __name__ == "__main__":
    raise SystemExit(main())
