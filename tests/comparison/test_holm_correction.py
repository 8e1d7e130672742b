import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.comparison._holm_correction import holm_pvalues
from probus.errors import DataError

pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(pvalues)
def test_adjusted_values_keep_the_order_and_lie_between_the_raw_and_bonferronis(p):
    raw, adjusted = np.array(p), holm_pvalues(p)
    assert (adjusted >= raw).all()
    assert (adjusted <= np.minimum(raw * len(p), 1) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0).all()


@given(pvalues, st.floats(0.001, 0.5))
def test_it_rejects_what_stepping_down_rejects(p, alpha):
    rejected = set()
    for step, i in enumerate(np.argsort(p, kind="stable")):
        if p[i] * (len(p) - step) >= alpha:
            break
        rejected.add(int(i))
    assert set(np.flatnonzero(holm_pvalues(p) < alpha).tolist()) == rejected


def test_r_agrees():
    # R 4.2.2, p.adjust(c(.01, .04, .03, .005, .9), "holm")
    np.testing.assert_allclose(holm_pvalues([0.01, 0.04, 0.03, 0.005, 0.9]), [0.04, 0.09, 0.09, 0.025, 0.9])


@pytest.mark.parametrize("p", [[0.1, np.nan], [-0.1], [1.2], 0.5])
def test_what_is_no_probability_is_refused(p):
    with pytest.raises(DataError, match="a list of numbers between 0 and 1"):
        holm_pvalues(p)
