"""Rows that repeat each other, exactly or nearly, and tables whose equal rows are chance."""

import numpy as np
import pytest

from probus import datasets
from probus.data import Table
from probus.data._examine import examine
from probus.data.findings import _copies as copies
from probus.data.findings._copies import copies_of


def found(columns):
    return copies_of(tuple(Table.of(columns)))


def numbers(X):
    return {f"x{j}": X[:, j] for j in range(X.shape[1])}


def copied(rng, *, jitter, n=200, p=4):
    X = rng.normal(size=(n, p))
    source = np.append(np.arange(n), rng.integers(0, n, n // 2))
    return X[source] + jitter * rng.normal(size=(len(source), p)), source


@pytest.mark.parametrize("jitter", [0.0, 0.005, 0.02])
def test_copies_are_in_one_set_and_other_rows_in_sets_of_their_own(jitter):
    X, source = copied(np.random.default_rng(0), jitter=jitter)
    unit = found(numbers(X)).unit
    together = (unit[:, None] == unit)[np.triu_indices(len(X), 1)]
    same = (source[:, None] == source)[np.triu_indices(len(X), 1)]
    assert together[same].mean() >= 0.9
    assert together[~same].mean() < 0.001


def test_copies_that_are_numbered_are_copies_and_rows_with_names_of_their_own_are_not():
    X, _ = copied(np.random.default_rng(0), jitter=0.0)
    numbered = {"row": np.arange(len(X)), **numbers(X)}
    assert found(numbered).exact == found(numbers(X)).exact
    labelled = {"row": [f"R-{i}" for i in range(len(X))], **numbers(X)}
    assert found(labelled).exact == found(numbers(X)).exact
    names = ["Mrs " + "".join("abcdefghij"[int(digit)] for digit in str(i)) for i in range(len(X))]
    assert found({"name": names, **numbers(X)}) is None


DAYS = np.datetime64("2024-01-01T00:00") + np.arange(300).astype("timedelta64[m]") * 977
SETS = {
    "a date of its own": lambda r, s: {"when": DAYS[r.permutation(300)], **numbers(r.normal(size=(200, 3))[s])},
    "seconds that ascend": lambda r, s: {"at": r.exponential(9, 300).cumsum(), **numbers(r.normal(size=(200, 3))[s])},
    "levels only": lambda r, s: {f"k{j}": r.choice(list("abcd"), 200)[s] for j in range(10)},
    "noise in two numbers among levels": lambda r, s: {
        **numbers(r.normal(size=(200, 2))[s] + 0.02 * r.normal(size=(300, 2))),
        **{f"k{j}": r.choice(list("abcde"), 200)[s] for j in range(4)},
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", SETS)
def test_copies_are_found_beside_a_date_in_levels_and_with_noise_in_two_numbers(kind):
    rng = np.random.default_rng(3)
    source = np.append(np.arange(200), rng.integers(0, 200, 100))
    unit = found(SETS[kind](rng, source)).unit
    together = (unit[:, None] == unit)[np.triu_indices(300, 1)]
    same = (source[:, None] == source)[np.triu_indices(300, 1)]
    assert together[same].mean() >= 0.85
    assert together[~same].sum() <= 0.01 * together.sum()


def panel(rng, sites, times, *, const, vary=lambda rng, n: {}):
    """Rows of sites by times: what describes the site is equal in its rows."""
    site = np.repeat(np.arange(sites), times)
    return {f"c{j}": np.round(rng.normal(size=sites), 2)[site] for j in range(const)} | vary(rng, len(site))


PANELS = {
    "shops by days": lambda r: panel(r, 120, 15, const=3, vary=lambda r, n: {"promo": r.choice(["y", "n"], n)}),
    "machines by hours": lambda r: panel(
        r,
        120,
        15,
        const=3,
        vary=lambda r, n: {"state": r.choice(list("abc"), n, p=[0.7, 0.2, 0.1]), "by": r.choice(list("pqrs"), n)},
    ),
    "patients by visits": lambda r: panel(
        r, 150, 4, const=4, vary=lambda r, n: {"dose": r.choice([0, 5, 10], n), "ill": r.choice(["y", "n"], n)}
    ),
    "patients by measurements": lambda r: panel(
        r, 150, 4, const=3, vary=lambda r, n: {"pulse": np.round(r.normal(size=n), 1)}
    ),
}


@pytest.mark.parametrize("kind", PANELS)
def test_rows_of_one_shop_or_patient_are_no_copies(kind):
    for seed in range(5):
        assert found(PANELS[kind](np.random.default_rng(seed))) is None


def test_few_rows_of_a_long_table_are_searched_where_there_are_no_copies(monkeypatch):
    rows = []
    of = copies._Lonely.of.__func__
    monkeypatch.setattr(
        copies._Lonely, "of", classmethod(lambda cls, *args: rows.append(len(args[-1])) or of(cls, *args))
    )
    X = np.random.default_rng(0).normal(size=(30_000, 5))
    assert found(numbers(X)) is None
    assert found(numbers(np.vstack([X[:25_000], X[:5_000]]))).exact == 10_000
    assert rows == [copies.SAMPLE, copies.SAMPLE]


def test_levels_must_be_equal():
    rng = np.random.default_rng(1)
    X, _ = copied(rng, jitter=0.02)
    assert found({**numbers(X), "k": rng.choice(list("abcdefgh"), len(X))}).near < 0.3 * found(numbers(X)).near


def same_twice(age, sex):
    return {"age": age, "born": 2020 - age, "sex": sex}


CHANCE = {
    "few columns of few values": lambda r, n: {f"q{j}": r.integers(1, 6, n) for j in range(4)},
    "a survey with an age": lambda r, n: {"q": r.integers(1, 6, n), "age": r.integers(18, 90, n)},
    "rounded numbers": lambda r, n: numbers(np.round(r.normal(size=(n, 2)) * 20)),
    "two columns that say the same": lambda r, n: same_twice(r.integers(18, 90, n), r.choice(["m", "f"], n)),
    "mostly zero": lambda r, n: numbers(np.where(r.random((n, 6)) < 0.7, 0, r.lognormal(size=(n, 6)))),
    "parts of a hundred": lambda r, n: numbers(np.round(100 * r.dirichlet(np.ones(4), n))),
    "tight clusters": lambda r, n: numbers(
        5 * r.normal(size=(10, 4))[r.integers(0, 10, n)] + 0.3 * r.normal(size=(n, 4))
    ),
    "a correlated cloud": lambda r, n: numbers(0.95 * r.normal(size=(n, 1)) + 0.3 * r.normal(size=(n, 8))),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHANCE)
def test_rows_that_are_equal_or_near_by_chance_are_left_alone(kind):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        assert found(CHANCE[kind](rng, 120 if seed % 2 else 1_500)) is None


@pytest.mark.parametrize("name", [name for name in datasets.names() if name != "spam"])
def test_bundled_data_sets_have_no_copies(name):
    table = datasets.load(name)
    assert copies_of(tuple(table)) is None


def test_mail_that_was_sent_twice_is_found():
    assert copies_of(tuple(datasets.load("spam"))).exact > 500


def test_jittered_copies_are_a_warning():
    X, source = copied(np.random.default_rng(0), jitter=0.02)
    (each,) = examine({**numbers(X), "y": source % 2}, "y").of("PB303")
    assert each.severity == "warning"
    assert "nearly repeat another row: equal levels, and numbers far closer than chance explains." in each.evidence
