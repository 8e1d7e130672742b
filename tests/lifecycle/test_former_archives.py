"""Archives of former releases: what they hold is read, and a study goes on with it."""

import shutil
from pathlib import Path

import pytest

import probus
from probus.lifecycle import _study_archive as study_archive
from probus.lifecycle import stored_options
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._study_archive import stored_repeats
from probus.tuning import Archive

SAVED = Path(__file__).parent / "saved"
STUDY = "06c90bc3417b7882765ba4d914a8d824c4336782e781440f49857f2a91cc0398"


def test_a_study_goes_on_with_the_fits_of_a_former_archive(tmp_path, monkeypatch):
    where = tmp_path / "study.db"
    shutil.copy(SAVED / "study.db", where)
    options = stored_options(where)
    assert (options["X"], options["drop"], options["kinds"]) == ("iris", ["petal_width"], {"sepal_length": "numeric"})
    assert stored_repeats(where) == 1
    monkeypatch.setattr(study_archive, "_fingerprint", lambda fits: STUDY)  # parameters of models may be added
    monkeypatch.setattr(FamilyFits, "split", lambda *job: pytest.fail("a finished fit was repeated"))
    result = probus.study(options.pop("X"), archive=where, progress=None, **options)
    assert float(result.score) == pytest.approx(0.2258, abs=1e-4)


def test_what_a_former_tuning_tried_is_read(tmp_path):
    found = Archive.read(shutil.copy(SAVED / "tuning.db", tmp_path))
    assert [round(each.mean("roc_auc"), 3) for each in found] == [0.446, 0.455, 0.446]
    assert found.scoring == ("roc_auc", "accuracy", "balanced_accuracy", "log_loss")
