import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from probus.comparison._post_hoc import holm, nemenyi
from probus.comparison._ranks import critical_difference, friedman
from probus.errors import DataError

NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
# Demšar 2006 (JMLR 7), table 6: AUC of C4.5 and three tuned variants on 14 data sets. On the last but one the table
# ranks 0.975 and 0.975 second and third, by decimals that it does not print.
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ]
)  # fmt: skip

few = settings(max_examples=20, deadline=None)
RANKS = [3.143, 2.000, 2.893, 1.964]
matrices = st.tuples(st.integers(2, 8), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 6).map(lambda x: x / 10))
)


# -- properties ----------------------------------------------------------------------------------------


@few
@given(matrices)
def test_only_the_order_within_a_data_set_counts(scores):
    one, other = friedman(scores), friedman(np.exp(3 * scores) + np.arange(len(scores))[:, None])
    assert one.statistic == other.statistic
    assert one.details == other.details


@few
@given(matrices)
def test_losses_are_gains_turned_round(scores):
    one, other = friedman(scores), friedman(-scores, greater_is_better=False)
    assert (one.statistic, one.pvalue, one.details) == (other.statistic, other.pvalue, other.details)


@few
@given(matrices)
def test_the_chi_square_is_scipy_s(scores):
    scores = np.column_stack([scores, scores[:, ::-1]])  # SciPy wants three models
    found = friedman(scores)
    if any(len(set(row)) > 1 for row in scores):
        expected = stats.friedmanchisquare(*scores.T)
        assert found.details["chi2"] == pytest.approx(expected.statistic, abs=1e-9)
        assert found.details["chi2_pvalue"] == pytest.approx(expected.pvalue)


@few
@given(matrices)
def test_nemenyi_s_p_values_and_its_critical_difference_say_the_same(scores):
    after = nemenyi(scores)
    for result in after:
        apart = abs(result.effect.value) > after.critical_difference
        assert result.significant() == apart or result.pvalue == pytest.approx(0.05, abs=1e-6)


# -- references ----------------------------------------------------------------------------------------


def test_friedman_on_demsar_s_example():
    found = friedman(AUC, names=NAMES, correct_ties=False)
    assert found.details["average_ranks"] == pytest.approx(dict(zip(NAMES, RANKS, strict=True)), abs=0.0005)
    assert found.details["chi2"] == pytest.approx(9.28, abs=0.005)
    assert found.statistic == pytest.approx(3.69, abs=0.005)
    assert found.df == (3, 39)
    assert found.significant()
    assert found.sentence.startswith(
        "the 4 models do not rank alike on 14 data sets: C4.5+m+cf is best, C4.5 worst "
        "(difference of average ranks 1.2 [-0.1, 2.4], p = 0.02, Friedman test)"
    )


def test_the_tie_correction_is_r_s():
    # R 4.2.2, friedman.test(AUC)
    found = friedman(AUC)
    assert (found.details["chi2"], found.details["chi2_pvalue"]) == pytest.approx(
        (10.228346456692913, 0.01672158032844)
    )
    assert found.details["concordance"] == pytest.approx(10.228346456692913 / (14 * 3))


@pytest.mark.parametrize(
    ("k", "level", "q"), [(2, 0.95, 1.960), (3, 0.95, 2.343), (4, 0.95, 2.569), (10, 0.95, 3.164), (4, 0.9, 2.291)]
)
def test_critical_values_are_those_of_demsar_s_table_5(k, level, q):
    assert critical_difference(k, 6, level) / math.sqrt(k * (k + 1) / 36) == pytest.approx(q, abs=0.001)


def test_nemenyi_on_demsar_s_example():
    after = nemenyi(AUC, names=NAMES, level=0.9)
    assert nemenyi(AUC).critical_difference == pytest.approx(1.25, abs=0.005)
    assert after.critical_difference == pytest.approx(1.12, abs=0.005)
    assert after.sentence == (
        "2 of 6 pairs differ on 14 data sets: C4.5+m beats C4.5; C4.5+m+cf beats C4.5 "
        "(Nemenyi, critical difference 1.12)"
    )


def test_nemenyi_s_p_values_are_r_s():
    # R 4.2.2, ptukey(z * sqrt(2), 4, Inf, lower.tail = FALSE) for z = 1.5, 2 and 3.6
    after = nemenyi(AUC)
    error = math.sqrt(4 * 5 / (6 * 14))
    for z, p in ((1.5, 0.43745183515847752), (2, 0.18791211039085409), (3.6, 0.00180814438004107)):
        assert stats.studentized_range.sf(z * math.sqrt(2), 4, np.inf) == pytest.approx(p, rel=1e-6)
    first = after["model 1", "model 4"]
    assert first.statistic == pytest.approx((3.142857 - 1.964286) / error, abs=1e-5)
    assert first.pvalue == pytest.approx(stats.studentized_range.sf(first.statistic * math.sqrt(2), 4, np.inf))


def test_holm_on_demsar_s_example():
    # section 3.2.2: z = 2.416, 2.342, 0.512; p = 0.016, 0.019, 0.607 before the adjustment
    after = holm(AUC, "C4.5", names=NAMES)
    assert len(after) == 3
    for name, z, p in (("C4.5+m+cf", 2.416, 3 * 0.016), ("C4.5+m", 2.342, 3 * 0.016), ("C4.5+cf", 0.512, 0.607)):
        assert after["C4.5", name].statistic == pytest.approx(z, abs=0.002)
        assert after["C4.5", name].pvalue == pytest.approx(p, abs=0.003)
    assert after.sentence == "2 of 3 pairs differ on 14 data sets: C4.5+m beats C4.5; C4.5+m+cf beats C4.5 (Holm)"


def test_holm_without_a_control_takes_all_pairs():
    after = holm(AUC, names=NAMES)
    assert len(after) == 6
    assert after["C4.5", "C4.5+m+cf"].pvalue == pytest.approx(6 * 0.0157, abs=0.001)
    assert after.sentence == "none of 6 pairs differ on 14 data sets (Holm)"


# -- forms and edges -----------------------------------------------------------------------------------


def test_mappings_frames_and_matrices_are_the_same():
    columns = dict(zip(NAMES, AUC.T, strict=True))
    assert friedman(columns) == friedman(pd.DataFrame(columns)) == friedman(AUC, names=NAMES)


def test_complete_agreement_has_its_exact_probability():
    found = friedman([[1, 2, 3]] * 4)
    assert found.statistic == np.inf
    assert found.pvalue == pytest.approx(1 / 6**3)


def test_models_that_are_always_tied_have_f_0_and_p_1():
    found = friedman(np.ones((5, 3)))
    assert (found.statistic, found.pvalue, found.details["chi2"]) == (0, 1, 0)
    assert found.sentence.startswith("undecided on 5 data sets whether the 3 models differ")


def test_a_post_hoc_test_prints_serialises_and_plots():
    after = nemenyi(AUC, names=["<a>", "b", "c", "d"])
    assert "average ranks: d 1.96, b 2.00, c 2.89, <a> 3.14" in repr(after)
    assert "&lt;a&gt;" in after._repr_html_()
    assert len(json.loads(json.dumps(after.to_dict()))["results"]) == 6
    assert after.to_frame()["models"].to_list()[0] == ["<a>", "b"]
    assert {text.get_text() for text in after.plot().texts} >= {"<a>", "b", "c", "d"}
    with pytest.raises(DataError, match="Holm's test has no one critical difference to draw"):
        holm(AUC).plot()
    with pytest.raises(KeyError):
        after["b", "z"]


@pytest.mark.parametrize("test", [friedman, nemenyi, holm])
@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ({"a": [0.1, 0.2]}, "scores of 1 model.\n  Expected at least two models"),
        ([[0.1, 0.2]], "scores on 1 data set.\n  Expected at least two data sets"),
        ({"a": [0.1, 0.2], "b": [0.1, np.nan]}, "scores of b: 1 of 2 are NaN or infinite"),
        ({"a": [0.1, 0.2], "b": [0.1]}, "Expected a score of each model on the same data sets"),
        ([0.1, 0.2], "a matrix: a row per data set, a column per model"),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(test, scores, said):
    with pytest.raises(DataError, match=said):
        test(scores)


def test_an_unknown_control_is_refused():
    with pytest.raises(DataError, match=r"control='C5'\.\n  Expected one of the models 'C4.5'"):
        holm(AUC, "C5", names=NAMES)
