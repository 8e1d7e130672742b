"""A study that was stopped goes on where it was."""

import shutil
from pathlib import Path

import pytest

from probus.errors import DataError
from probus.lifecycle import _conclusion as conclusion
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._fit_pool import FitPool
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsClassifier


@pytest.mark.slow
def test_a_stopped_study_goes_on_and_ends_as_if_it_had_not_stopped(study, moons, tuned, tmp_path, monkeypatch, facts):
    def interrupt(done, total, name):
        if name == "tuning k-NN":
            raise KeyboardInterrupt

    fitted = []
    split = FamilyFits.split
    monkeypatch.setattr(FamilyFits, "split", lambda self, *job: (fitted.append(job), split(self, *job))[1])
    archive = tmp_path / "study.db"
    stopped = study(archive=archive, progress=interrupt)
    before, n_before = len(stopped.tried), len(fitted)
    resumed = study(archive=archive)
    assert before < len(resumed.tried)
    assert facts(resumed) == facts(tuned)
    n_all = len(fitted)
    assert facts(study(archive=archive)) == facts(tuned)
    assert len(fitted) == n_all
    assert n_before > 0
    with pytest.raises(DataError, match=r"study\.db is the archive of another study\.\n(?s:.)*delete this one"):
        study(moons(seed=1), archive=archive)


def test_a_study_goes_on_with_its_folds_whatever_time_it_has_now(study, tmp_path, monkeypatch):
    how = {"models": {"bayes": NaiveBayes()}, "evaluations": 0, "cv": None, "archive": tmp_path / "a.db"}
    assert study(**how).splits.repeats == 3
    monkeypatch.setattr(conclusion.StudyLimits, "pool", lambda limits, fits: FitPool(fits, 1, None, None))
    assert study(**how, time=10).splits.repeats == 3
    assert study(**how | {"archive": tmp_path / "b.db"}, time=10).splits.repeats == 1


def test_an_archive_of_other_parameters_of_a_model_is_that_of_another_study(study, tmp_path):
    how = {"archive": tmp_path / "study.db", "evaluations": 0}
    study(models={"k-NN": KNeighborsClassifier(3)}, **how)
    with pytest.raises(DataError, match="the archive of another study"):
        study(models={"k-NN": KNeighborsClassifier(30)}, **how)
    with pytest.raises(DataError, match="it has random_state 0, and this study random_state 1"):
        study(models={"k-NN": KNeighborsClassifier(3)}, **how, random_state=1)


def test_what_is_no_archive_is_an_error(study, tmp_path):
    from probus.lifecycle import stored_options

    with pytest.raises(DataError, match="no file 'absent'"):
        stored_options("absent")
    (tmp_path / "text").write_text("this is no database at all, only a few words" * 30)
    with pytest.raises(DataError, match=r"text': it is not an SQLite file"):
        stored_options(tmp_path / "text")
    with pytest.raises(DataError, match=r"archive='redis://here'(?s:.)*begins with postgresql://"):
        study(archive="redis://here")
    study(archive=tmp_path / "memory.db", evaluations=0, models={"bayes": NaiveBayes()})
    with pytest.raises(DataError, match=r"memory\.db does not hold the options of a study"):
        stored_options(tmp_path / "memory.db")


def test_an_archive_of_a_former_version_is_refused_in_words(study, tmp_path):
    where = tmp_path / "study.db"
    shutil.copy(Path(__file__).parents[1] / "saved" / "study.db", where)
    with pytest.raises(DataError, match=r"another study\.(?s:.)*written by this version"):
        study(archive=where, evaluations=0)
