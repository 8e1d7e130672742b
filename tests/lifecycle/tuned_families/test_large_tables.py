"""Tables on which families are first evaluated on a sample."""

import time

import pytest

from probus.lifecycle import conclusion, family_fits
from probus.lifecycle.family_fits import OUTER, SAMPLE, FamilyFits
from probus.lifecycle.family_search import FamilySearch
from probus.lifecycle.fit_pool import FitPool
from probus.naive_bayes import NaiveBayes


@pytest.fixture
def large(monkeypatch):
    """Tables of 100 rows are large, and fits run in this process though there is a deadline."""

    def pool(limits, fits):
        made = FitPool(fits, 1, None, None)
        made.deadline = time.perf_counter() + 1000
        return made

    monkeypatch.setattr(family_fits, "_LARGE", 100)
    monkeypatch.setitem(family_fits._SAMPLED_ROWS, SAMPLE, 55)
    monkeypatch.setattr(conclusion.Limits, "pool", pool)


def test_families_of_a_large_table_are_evaluated_on_a_sample_first_and_then_on_all_rows(study, large, monkeypatch):
    fitted = []
    split = FamilyFits.split
    monkeypatch.setattr(FamilyFits, "split", lambda self, *job: (fitted.append(job), split(self, *job))[1])
    result = study(evaluations=0, cv=2)
    families_of = [(job[0]["family"], job[1][1]) for job in fitted]
    assert set(families_of[:6]) == {(name, SAMPLE) for name in ("Zero-R", "bayes", "k-NN")}
    assert set(families_of[6:]) == {(name, OUTER) for name in ("Zero-R", "bayes", "k-NN")}
    assert not any("for want of time" in note for note in result.notes)


def test_families_without_time_for_all_rows_remain_on_the_sample_and_this_is_said(study, large, monkeypatch):
    monkeypatch.setattr(FamilySearch, "seconds", 1e9)
    result = study(models={"bayes": NaiveBayes()}, cv=2)
    note = "trained on 55 of the 60 training rows of each split, for want of time: bayes, also as saved"
    assert note in result.notes
    assert result.inner_scores == {}
    assert result.model.estimator_.steps[-1][1].class_count_.sum() == 55
