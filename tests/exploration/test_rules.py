"""Rules are reported where columns depend on each other, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact

from probus.data import Table
from probus.exploration._notable_rules import find_rules


@pytest.mark.parametrize("shape", ["numbers", "levels", "mixed"])
@pytest.mark.parametrize("seed", range(5))
def test_independent_columns_have_no_rules(without_groups: Any, shape: str, seed: int) -> None:
    found = find_rules(without_groups(shape, seed, 300), 0)
    assert not len(found)
    assert found.sentence().startswith("No rules: none of ")


def test_a_planted_rule_is_found_once() -> None:
    rng = np.random.default_rng(0)
    job = rng.choice(["nurse", "pilot", "cook"], 300)
    night = np.where((job == "nurse") & (rng.random(300) < 0.9), "yes", np.where(rng.random(300) < 0.2, "yes", "no"))
    found = find_rules(Table.of({"job": job, "night": night, "age": rng.normal(40, 9, 300)}), 0)
    (rule,) = found.rules
    assert set(rule.antecedent + rule.consequent) in ({"job = nurse", "night = yes"},)
    nurse, yes = job == "nurse", night == "yes"
    counts = [[(nurse & yes).sum(), (nurse & ~yes).sum()], [(~nurse & yes).sum(), (~nurse & ~yes).sum()]]
    pvalue = fisher_exact(counts, alternative="greater").pvalue
    assert rule.adjusted == pytest.approx(min(1.0, pvalue * found.examined))
    assert rule.confidence.low < rule.confidence.value < rule.confidence.high


def test_a_name_that_begins_another_is_another_column() -> None:
    rng = np.random.default_rng(0)
    a = rng.choice(["x", "y"], 200)
    found = find_rules(Table.of({"size": a, "size = x": a, "other": rng.choice(["x", "y"], 200)}), 0)
    assert len(found) == 1
