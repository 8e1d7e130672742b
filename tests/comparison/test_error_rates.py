"""A test at 5 % should reject equal models in 5 % of cases: seeded simulations."""

import numpy as np
import pytest
from research.equal_pairs import chosen_on
from research.error_rates import rejected

from probus.comparison._paired_predictions import cochran_q, mcnemar
from probus.comparison._paired_scores import corrected_resampled_ttest, resampled_ttest

TIMES = 1000


def rate(pvalues):
    return np.mean(np.array(pvalues) < 0.05)


@pytest.mark.slow
def test_the_corrected_t_keeps_its_level_where_the_plain_one_cries_wolf():
    # Nadeau and Bengio's model: scores of ten splits that correlate by n_test / (n_test + n_train)
    rng, share = np.random.default_rng(0), 0.1
    common, own = rng.normal(size=(TIMES, 1)), rng.normal(size=(TIMES, 10))
    differences = np.sqrt(share) * common + np.sqrt(1 - share) * own
    none = np.zeros(10)
    assert 0.035 < rate([corrected_resampled_ttest(d, none, share / (1 - share)).pvalue for d in differences]) < 0.065
    assert rate([resampled_ttest(d, none).pvalue for d in differences]) > 0.1


@pytest.mark.slow
def test_mcnemar_and_cochran_keep_their_level():
    rng = np.random.default_rng(1)
    y = np.ones(200, dtype=int)
    models = [(rng.random((3, 200)) < 0.8).astype(int) for _ in range(TIMES // 4)]
    assert 0.01 < rate([mcnemar(y, a, b).pvalue for a, b, _ in models]) < 0.07  # the correction errs on the safe side
    assert 0.03 < rate([mcnemar(y, a, b, exact=False, correction=False).pvalue for a, b, _ in models]) < 0.08
    assert 0.03 < rate([cochran_q(y, a, b, c).pvalue for a, b, c in models]) < 0.08


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "what"), [("log_loss", "5 % positive"), ("f1", "20 % positive")])
def test_the_bootstrap_of_rows_keeps_its_level_on_few_rows_of_a_rare_class(metric, what):
    pair = next(each for each in chosen_on() if (each.metric, each.what) == (metric, what))
    assert rejected(pair, 60, 150) < 9
