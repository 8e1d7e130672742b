import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.errors import DataError
from probus.metrics import efficiency_rejection, roc, signal_efficiency_at_rejection

few = settings(max_examples=settings.default.max_examples // 3)

SIGNAL = np.repeat([0, 1], [60, 40])
SCORES = np.random.default_rng(0).normal(size=100).round(1) + SIGNAL


def test_it_is_the_roc_curve_seen_from_the_background():
    curve, other = (verb(SIGNAL, SCORES, band=False) for verb in (efficiency_rejection, roc))
    assert np.array_equal(curve.efficiency, other.true_positive_rate[1:])
    assert np.array_equal(curve.rejection, 1 - other.false_positive_rate[1:])
    assert curve.area == other.area


def test_the_inverse_rejection_is_infinite_where_no_background_passes():
    curve = efficiency_rejection([0, 0, 1, 1], [1, 3, 2, 4], rejection="inverse", n_resamples=20, random_state=0)
    assert curve.rejection.tolist() == [np.inf, 2, 2, 1]
    assert (curve.band.low <= curve.band.value).all()
    assert np.isposinf(curve.band.high).any()


@few
@given(st.floats(0.01, 1))
def test_a_working_point_keeps_the_wanted_efficiency_and_no_threshold_above_does(wanted):
    curve = efficiency_rejection(SIGNAL, SCORES, band=False)
    point = curve.working_point(efficiency=wanted)
    assert point.efficiency.value == pytest.approx((SCORES[SIGNAL == 1] >= point.threshold).mean())
    assert point.rejection.value == pytest.approx((SCORES[SIGNAL == 0] < point.threshold).mean())
    assert point.efficiency.value >= wanted - 1e-9
    assert (SCORES[SIGNAL == 1] > point.threshold).mean() < wanted


@few
@given(st.floats(0, 0.95))
def test_a_working_point_for_a_rejection_keeps_most_of_the_signal(wanted):
    point = efficiency_rejection(SIGNAL, SCORES, band=False).working_point(rejection=wanted)
    assert point.rejection.value >= wanted - 1e-9
    assert point.efficiency.value == signal_efficiency_at_rejection(SIGNAL, SCORES, rejection=wanted)


def test_the_intervals_of_a_working_point_hold_in_either_unit():
    curves = [efficiency_rejection(SIGNAL, SCORES, rejection=kind, band=False) for kind in ("complement", "inverse")]
    plain, inverse = (curve.working_point(efficiency=0.8) for curve in curves)
    assert plain.threshold == inverse.threshold
    ends = [1 / (1 - end) for end in (plain.rejection.low, plain.rejection.value, plain.rejection.high)]
    assert [inverse.rejection.low, inverse.rejection.value, inverse.rejection.high] == pytest.approx(ends)
    assert plain.to_dict()["efficiency"]["n"] == 40


def test_a_rejection_out_of_reach_says_what_can_be_had():
    curve = efficiency_rejection([0, 0, 1, 1], [4, 1, 2, 3], band=False)
    with pytest.raises(DataError, match=r"rejection of 0.9, and the most that any threshold rejects is 0.5"):
        curve.working_point(rejection=0.9)


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        ({}, "an efficiency or a rejection"),
        ({"efficiency": 0.5, "rejection": 0.5}, "an efficiency or a rejection"),
        ({"efficiency": 0}, "a share above 0, at most 1"),
        ({"efficiency": 90}, "a share above 0, at most 1"),
    ],
)
def test_a_wish_that_makes_no_sense_is_told(wish, told):
    with pytest.raises(DataError, match=told):
        efficiency_rejection(SIGNAL, SCORES, band=False).working_point(**wish)


def test_an_unknown_kind_of_rejection_is_told():
    with pytest.raises(DataError, match=r"rejection='1/x'\.\n.*'complement'.*'inverse'"):
        efficiency_rejection(SIGNAL, SCORES, rejection="1/x")
