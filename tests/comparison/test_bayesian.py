import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from probus.comparison._bayesian import bayesian_correlated_ttest
from probus.comparison._paired_scores import corrected_resampled_ttest
from probus.errors import DataError

A = [0.82, 0.85, 0.80, 0.84, 0.83, 0.79, 0.86, 0.81, 0.83, 0.82]
B = [0.80, 0.81, 0.79, 0.82, 0.79, 0.80, 0.83, 0.80, 0.83, 0.81]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.floats(0, 0.2), st.randoms())
def test_the_three_probabilities_sum_to_one(a, rope, random):
    found = bayesian_correlated_ttest(a, random.sample(a, len(a)), 1 / 4, rope)
    assert found.left + found.rope + found.right == pytest.approx(1)
    assert min(found.left, found.rope, found.right) >= 0


@pytest.mark.filterwarnings("error")
def test_the_smallest_numbers_there_are_make_no_trouble():
    found = bayesian_correlated_ttest([0.0, 5e-324, 1e-308], [1e-308, 0.0, 5e-324], 1 / 4)
    assert (found.left, found.rope, found.right) == (0, 1, 0)


def test_without_a_rope_the_tail_is_half_the_corrected_p_value():
    found = bayesian_correlated_ttest(A, B, 1 / 9, rope=0)
    tested = corrected_resampled_ttest(A, B, 1 / 9)
    assert found.left == pytest.approx(tested.pvalue / 2)
    assert (found.effect.low, found.effect.high) == pytest.approx((tested.effect.low, tested.effect.high))
    assert "practically" not in found.sentence


def test_baycomp_agrees():
    # baycomp 1.0.3, two_on_single(A, B, rope=0.01, runs=1): one run of ten folds
    found = bayesian_correlated_ttest(A, B, 1 / 9, rope=0.01)
    expected = (0.8119271667483673, 0.18515820736420607, 0.002914625887426636)
    assert (found.right, found.rope, found.left) == pytest.approx(expected)


def test_for_losses_the_smaller_is_better():
    found = bayesian_correlated_ttest(A, B, 1 / 9, greater_is_better=False, names=("x", "y"), n_rows=891)
    assert found.sentence == (
        "x is better than y with probability 0.00, worse 0.81, practically the same (within 0.01) 0.19 "
        "on 891 rows (difference 0.017 [0.000, 0.034], Bayesian correlated t-test)"
    )


def test_equal_scores_are_practically_the_same_for_sure():
    found = bayesian_correlated_ttest(A, A, 1 / 9)
    assert (found.left, found.rope, found.right) == (0, 1, 0)


def test_one_and_the_same_difference_everywhere_leaves_no_doubt():
    found = bayesian_correlated_ttest(A, np.array(A) - 0.1, 1 / 9)
    assert (found.left, found.rope, found.right) == (0, 0, 1)


def test_it_prints_serialises_and_plots():
    found = bayesian_correlated_ttest(A, B, 1 / 9, names=("<x>", "y"))
    assert repr(found) == found.sentence
    assert "&lt;x&gt;" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["rope"] == pytest.approx(found.rope)
    assert found.to_frame().to_dicts()[0]["right"] == found.right
    assert found.plot(Figure().add_subplot()).get_xlabel() == "<x> − y"


@pytest.mark.parametrize("rope", [-0.1, np.nan, np.inf])
def test_a_rope_is_a_small_difference(rope):
    with pytest.raises(DataError, match="a difference too small to matter, from 0"):
        bayesian_correlated_ttest(A, B, 1 / 9, rope)
