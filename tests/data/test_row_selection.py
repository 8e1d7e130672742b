"""Rows drawn for a sample, and splits that train on every class."""

import numpy as np
import pytest

from probus.data.row_selection import drawn_rows, train_every_class


@pytest.mark.parametrize("seed", range(5))
def test_every_class_is_among_the_drawn_rows(seed):
    random = np.random.default_rng(seed)
    codes = np.repeat([0, 1, 2, 3], [700, 290, 9, 1])[random.permutation(1000)]
    rows = np.sort(random.choice(10_000, 1000, replace=False))
    drawn = drawn_rows(rows, 40, random, codes)
    counts = np.bincount(codes[np.isin(rows, drawn)], minlength=4)
    assert 40 <= len(drawn) <= 43
    assert np.all(np.diff(drawn) > 0)
    assert counts[3] == 1
    assert counts[2] >= 2


def test_classes_that_are_not_rare_keep_their_shares():
    codes = np.repeat([0, 1], [900, 100])
    counts = [np.bincount(codes[drawn_rows(np.arange(1000), 100, np.random.default_rng(i), codes)]) for i in range(200)]
    assert np.mean(counts, axis=0) == pytest.approx([90, 10], abs=0.7)


def test_few_rows_are_all_drawn():
    rows = np.array([4, 7, 9])
    assert drawn_rows(rows, 3, np.random.default_rng(0), np.array([0, 1, 0])) is rows


def test_groups_of_a_class_that_is_only_held_out_are_trained_whole():
    y, groups = np.array(["a", "b", "a", "c", "a", "b"]), np.array([0, 0, 1, 1, 2, 2])
    train, held = train_every_class(np.array([0, 1]), np.array([2, 3, 4, 5]), y, groups)
    assert (train.tolist(), held.tolist()) == ([0, 1, 2, 3], [4, 5])


def test_rows_stay_held_out_where_all_would_be_moved():
    train, held = train_every_class(np.array([0]), np.array([1, 2]), np.array(["a", "b", "c"]), None)
    assert (train.tolist(), held.tolist()) == ([0], [1, 2])
