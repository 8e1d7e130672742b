from itertools import pairwise

import numpy as np
import pytest

from probus.ensemble.forest._bags import bags_of, order_by_content
from probus.errors import DataError, ModelFileError


def bags(n=50, seeds=(3, 4), X=None, **others):
    X = np.random.default_rng(0).normal(size=(n, 3)) if X is None else X
    options = {"bootstrap": True, "max_samples": None, "sample_weight": None, "class_weight": None, **others}
    return bags_of(X, np.arange(len(X)) % 2, **options).extended(np.array(seeds))


def test_a_bag_holds_as_many_draws_as_there_are_rows():
    made = bags()
    assert made.counts(0).sum() == 50
    assert (np.sort(made.drawn(0)) == np.repeat(np.arange(50), made.counts(0))).all()
    assert (made.drawn(0) == made.drawn(0)).all()
    assert (made.drawn(0) != made.drawn(1)).any()


def test_without_bootstrap_every_tree_has_every_row_once():
    assert (bags(bootstrap=False).counts(1) == 1).all()


@pytest.mark.parametrize(("max_samples", "size"), [(7, 7), (0.5, 25), (None, 50), (70, 70), (1.5, 75)])
def test_max_samples_is_a_number_or_a_share_of_the_rows(max_samples, size):
    assert len(bags(max_samples=max_samples).drawn(0)) == size


def test_rows_are_drawn_by_what_they_hold_not_where_they_stand():
    X = np.random.default_rng(1).normal(size=(40, 2))
    shuffled = np.random.default_rng(2).permutation(40)
    y = np.zeros(40)
    one = bags_of(X, y, bootstrap=True, max_samples=None, sample_weight=None, class_weight=None).extended(np.array([5]))
    other = bags_of(X[shuffled], y, bootstrap=True, max_samples=None, sample_weight=None, class_weight=None).extended(
        np.array([5])
    )
    assert (one.counts(0)[shuffled] == other.counts(0)).all()


def test_rows_that_are_alike_lie_together():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (300, 3)).astype(float), rng.integers(0, 2, 300)
    X[rng.random(X.shape) < 0.1] = np.nan
    rows = [tuple(row) for row in np.column_stack([np.nan_to_num(X, nan=9), y])[order_by_content(X, y)].tolist()]
    runs = 1 + sum(a != b for a, b in pairwise(rows))
    assert runs == len(set(rows))


def test_whole_weights_are_repetitions():
    rng = np.random.default_rng(4)
    X, w = rng.normal(size=(30, 2)), rng.integers(0, 4, 30)
    again = np.repeat(np.arange(30), w)
    weighted = bags_of(
        X, np.zeros(30), bootstrap=True, max_samples=None, sample_weight=w.astype(float), class_weight=None
    )
    repeated = bags_of(
        X[again], np.zeros(len(again)), bootstrap=True, max_samples=None, sample_weight=None, class_weight=None
    )
    found = weighted.extended(np.array([8])).counts(0)
    expected = np.bincount(again, repeated.extended(np.array([8])).counts(0), 30)
    assert (found == expected).all()


def test_weights_are_chances_to_be_drawn():
    w = np.linspace(0.0, 1.9, 20)
    made = bags(20, range(400), sample_weight=w)
    mean = np.mean([made.counts(t) for t in range(400)], axis=0)
    assert mean == pytest.approx(20 * w / w.sum(), abs=0.3)
    assert mean[0] == 0


def test_large_whole_weights_do_not_multiply_the_draws():
    assert bags(sample_weight=np.full(50, 1000.0)).size == 50
    assert bags(sample_weight=np.full(50, 2.0)).size == 100


def test_class_weights_tilt_the_draws_and_do_not_multiply_them():
    made = bags(class_weight=np.where(np.arange(50) % 2, 9.0, 1.0), seeds=range(50))
    assert made.size == 50
    odd = np.mean([made.counts(t)[1::2].sum() / 50 for t in range(50)])
    assert odd == pytest.approx(0.9, abs=0.03)


def test_a_share_of_less_than_one_row_draws_one_as_in_scikit_learn():
    assert bags(max_samples=0.01).size == 1


def test_a_share_without_bootstrap_is_refused():
    with pytest.raises(DataError, match="`max_sample` cannot be set if `bootstrap=False`"):
        bags(max_samples=0.5, bootstrap=False)


def test_forged_bags_are_refused():
    from dataclasses import replace

    good = bags(sample_weight=np.ones(50))
    good.check()
    for forged in (
        replace(good, n_rows=60), replace(good, size=-1), replace(good, size=2**40), replace(good, ends=-good.ends),
    ):  # fmt: skip
        with pytest.raises(ModelFileError):
            forged.check()
