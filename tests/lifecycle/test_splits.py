import numpy as np
import pytest

from probus.errors import DataError
from probus.lifecycle.splits import repeated_splits

y = np.array([0] * 30 + [1] * 15)


def draw(**changes):
    options = {"classify": True, "groups": None, "folds": 5, "repeats": 3, "seed": 0, **changes}
    return repeated_splits(options.pop("y", y), **options)


@pytest.mark.parametrize("classify", [True, False])
@pytest.mark.parametrize("grouped", [True, False])
def test_each_repeat_tests_every_row_once_and_trains_on_the_rest(classify, grouped):
    splits = draw(classify=classify, groups=np.arange(45) // 3 if grouped else None)
    assert len(splits) == 15
    for repeat in range(3):
        tests = [test for _, test in splits.pairs[5 * repeat : 5 * repeat + 5]]
        assert np.sort(np.concatenate(tests)).tolist() == list(range(45))
    for train, test in splits.pairs:
        assert np.sort(np.concatenate([train, test])).tolist() == list(range(45))


def test_classes_keep_their_shares():
    for _, test in draw().pairs:
        assert np.bincount(y[test]).tolist() == [6, 3]


def test_groups_are_never_parted():
    groups = np.arange(45) // 3
    for train, test in draw(groups=groups).pairs:
        assert not set(groups[train]) & set(groups[test])


def test_the_seed_decides_and_repeats_differ():
    same, other = draw(), draw(seed=1)
    for (_, a), (_, b) in zip(draw().pairs, same.pairs, strict=True):
        assert a.tolist() == b.tolist()
    assert any(a.tolist() != b.tolist() for (_, a), (_, b) in zip(same.pairs, other.pairs, strict=True))
    assert same.pairs[0][1].tolist() != same.pairs[5][1].tolist()


def test_the_ratio_of_test_to_training_rows():
    assert draw().test_to_train == pytest.approx(1 / 4)


def test_how_is_said_in_words():
    assert draw(groups=np.arange(45) // 3).how == "stratified grouped 5-fold cross-validation, 3 times"
    assert draw(classify=False, repeats=1).how == "5-fold cross-validation"


def test_too_few_rows_groups_or_folds_are_errors_that_say_so():
    with pytest.raises(DataError, match=r"45 rows for 50 folds\.\n  Expected at least as many rows as folds"):
        draw(folds=50)
    with pytest.raises(DataError, match="2 groups for 5 folds"):
        draw(groups=np.arange(45) % 2)
    with pytest.raises(DataError, match=r"folds=1\.\n  Expected at least 2"):
        draw(folds=1)
    with pytest.raises(DataError, match="repeats=0"):
        draw(repeats=0)
