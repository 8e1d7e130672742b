"""Odd rows are named with reasons, usual ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from probus.data import Table
from probus.exploration import Exploration
from probus.exploration._fair_distance import FairDistance
from probus.exploration._odd_rows import FALSE_ALARMS, find_odd_rows, tail_threshold


def test_a_planted_row_is_found_with_its_reasons(penguins: Exploration) -> None:
    assert penguins.odd.rows[0] == 7
    assert len(penguins.odd) <= 2
    assert "body_mass_g = 41,000 (typical 40" in penguins.odd.named[0].reasons
    assert penguins.odd.named[0].times > 3


def test_false_alarms_are_as_rare_as_stated(without_groups: Any) -> None:
    shapes = ("numbers", "levels", "mixed", "cloud")
    tables = [without_groups(shape, seed, n) for shape in shapes for seed in range(10, 20) for n in (60, 300)]
    alarmed = sum(len(find_odd_rows(table, FairDistance.of(table), 0)) > 0 for table in tables)
    assert alarmed <= 2 * FALSE_ALARMS * len(tables)  # 80 tables; the 99.9 % bound of a binomial count


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_far_row_among_usual_ones_is_found(without_groups: Any, seed: int) -> None:
    table = without_groups("mixed", seed, 200)
    values = {name: list(cells) for name, cells in table.to_dict().items()}
    values["a"][11], values["d"][11] = 60.0, -25.0
    odd = find_odd_rows(far := Table.of(values), FairDistance.of(far), 0)
    assert odd.rows[0] == 11
    assert odd.named[0].reasons.startswith("a = 60")


def test_rows_beyond_the_reference_are_compared_too(without_groups: Any) -> None:
    table = without_groups("numbers", 4, 1500)
    values = {name: np.array(cells) for name, cells in table.to_dict().items()}
    values["a"][1400] = values["c"][1400] = 80.0
    odd = find_odd_rows(far := Table.of(values), FairDistance.of(far), 0)
    assert odd.reference == 1000
    assert odd.rows.tolist() == [1400]


def test_a_power_law_has_the_threshold_of_its_tail() -> None:
    distances = np.random.default_rng(0).pareto(4.0, 200_000) + 1.0  # P(d > t) = t ** -4
    threshold = tail_threshold(distances, 0.1)
    assert np.log(threshold) == pytest.approx(np.log(200_000 / 0.1) / 4, rel=0.03)


@pytest.mark.parametrize("n", [60, 250])
def test_the_threshold_of_few_rows_allows_for_the_uncertain_tail(n: int) -> None:
    """Further rows are beyond it as often as stated, on average over tables; by the estimated tail alone more often."""
    random = np.random.default_rng(n)
    beyond = [n * tail_threshold(random.pareto(4.0, n) + 1.0, FALSE_ALARMS) ** -4.0 for _ in range(1000)]
    assert np.mean(beyond) == pytest.approx(FALSE_ALARMS, abs=0.035)


def test_equal_distances_have_no_threshold() -> None:
    assert tail_threshold(np.zeros(50), 0.1) == np.inf
    assert tail_threshold(np.ones(50), 0.1) == np.inf
