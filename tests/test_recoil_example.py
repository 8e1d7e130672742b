"""The recoil challenge: cleaning and features by hand, the search's numbers, and a page that says what is printed."""

import re
from pathlib import Path

import numpy as np
import pytest
from examples.recoils import __main__ as command
from examples.recoils import sensitivity, trigger
from examples.recoils.cleaning import Camera, clusters, tracks
from examples.recoils.features import SHAPE, features
from examples.recoils.samples import binned, sample
from joblib import parallel_config

from probus.cluster import DBSCAN
from probus.datasets import recoils
from probus.errors import DataError

PAGE = (Path(__file__).parents[1] / "docs" / "recoils.md").read_text(encoding="utf-8")


def blob(image, row, column, brightness):
    image[row : row + 4, column : column + 4] += brightness


def test_the_camera_is_known_from_its_images():
    camera = Camera.of(recoils(400, random_state=0).images)
    assert camera.noise == pytest.approx(np.sqrt(2.0**2 + 1 / 12 + 0.5**2), abs=0.1)
    assert camera.pedestal.mean() == pytest.approx(100, abs=0.5)


def test_images_of_another_size_are_refused():
    camera = Camera.of(recoils(10, random_state=0).images)
    with pytest.raises(DataError, match=r"images of 32 × 32 pixels.\n  Expected 48 × 48"):
        camera.light(recoils(10, random_state=0, size=32).images)


def test_the_track_is_the_brightest_cluster():
    light = np.zeros((3, 20, 20))
    blob(light[0], 2, 2, 30.0)
    blob(light[0], 12, 12, 50.0)
    blob(light[2], 5, 9, 40.0)
    found = tracks(light, 2.0)
    assert set(found.image) == {0, 2}
    assert found.row[found.image == 0].min() == 12
    assert found.light[found.image == 2].sum() == pytest.approx(16 * 40)


def test_many_images_in_one_clustering_are_each_clustered_alone():
    camera = Camera.of(images := recoils(30, random_state=1).images)
    light = camera.light(images)
    together, places, _ = clusters(light, camera.noise)
    for at in range(len(light)):
        mine = places[0] == at
        alone = DBSCAN(eps=2.0, min_samples=5).fit_predict(np.column_stack([places[1][mine], places[2][mine]]))
        known = {}
        assert all(known.setdefault(a, b) == b for a, b in zip(alone, together[mine], strict=True))
        assert len(set(known.values())) == len(known)


def test_features_of_a_line_are_those_computed_by_hand():
    light = np.zeros((2, 30, 30))
    light[0, 10, 5:15] = 10.0  # ten pixels of a row, the last ones twice as bright
    light[0, 10, 12:15] = 20.0
    light[1] = light[0].T
    found = features(tracks(light, 2.0), 2)
    x, w = np.arange(10.0), np.r_[np.full(7, 10.0), np.full(3, 20.0)]
    mean = (w * x).sum() / w.sum()
    deviation = np.sqrt((w * (x - mean) ** 2).sum() / w.sum())
    assert found["light"].values.tolist() == [130.0, 130.0]
    np.testing.assert_allclose(found["length"].values, deviation)
    np.testing.assert_allclose(found["width"].values, 0.0, atol=1e-6)
    np.testing.assert_allclose(found["head share"].values, w[x < mean].sum() / w.sum())  # points to the faint end
    angles = np.exp(1j * np.asarray(found["angle"].values))
    np.testing.assert_allclose(angles, [-1, -1j], atol=1e-6)


def test_an_image_without_a_track_has_missing_features():
    found = features(tracks(np.zeros((1, 20, 20)), 2.0), 1)
    assert np.isnan(found["length"].values[0])
    assert found["pixels"].values[0] == 0


def test_shapes_do_not_depend_on_the_direction():
    camera = Camera.of(images := recoils(40, random_state=2, energy=(15, 30), drift=(0, 20)).images)
    light = camera.light(images)
    upright, turned = (features(tracks(each, camera.noise), 40) for each in (light, np.rot90(light, axes=(1, 2))))
    for name in SHAPE:
        np.testing.assert_allclose(turned[name].values, upright[name].values, rtol=0.01, err_msg=name)


def test_the_search_has_the_numbers_of_the_notes():
    """ρ v / m is 6.6 · 10⁴, which the notes round to 10⁵; a hundred electrons for one nucleus."""
    assert sensitivity.flux() == pytest.approx(6.6e4)
    assert "6.6·10⁴" in PAGE
    assert sensitivity.exposure(0.5, 0.9) == pytest.approx(9 * 10 / 0.25)
    assert sensitivity.events_for_a_direction(0.6) == pytest.approx(225)


def test_sums_of_pixels_keep_the_light():
    light = np.random.default_rng(0).normal(size=(2, 8, 8))
    np.testing.assert_allclose(binned(light, 2).sum(axis=(1, 2)), light.sum(axis=(1, 2)))


def test_samples_of_other_seeds_are_other_images():
    first, other = sample(100, 1), sample(100, 3)
    assert not set(first.true("visible")) & set(other.true("visible"))


def without_times(lines):
    return [re.sub(r"\d+ ms", "", line) for line in lines]


@pytest.mark.slow
def test_the_trigger_prints_the_same_on_any_number_of_threads():
    settings = {"n_tracks": 300, "n_frames": 15, "seeds": (5,)}
    with parallel_config(n_jobs=1):
        one = without_times(trigger.report(**settings))
    with parallel_config(n_jobs=3):
        assert without_times(trigger.report(**settings)) == one


@pytest.mark.slow
def test_the_page_has_the_trigger_that_the_command_prints():
    """Shares and false alarms within what other versions of NumPy may change."""
    lines = list(trigger.report())
    printed = {name: figures([each for each in lines if each.startswith(name)]) for name in ("cascade", "DBSCAN")}
    for name, found in printed.items():
        cells = next(line for line in PAGE.splitlines() if line.startswith(f"| {name} |")).split("|")[2:6]
        for cell, shares, within in zip(cells, found.T, (0.02, 0.02, 0.03, 2.0), strict=True):
            ends = [float(each) for each in re.findall(r"\d+(?:\.\d+)?", cell.split("[")[0])]
            assert [min(ends), max(ends)] == pytest.approx([shares.min(), shares.max()], abs=within)


def figures(lines):
    """Shares of both energies, that by chance, and false alarms, for each line."""
    pattern = r"1–3 keV (\S+) .*3–30 keV (\S+) .*by chance (\S+); (\S+) false"
    return np.array([re.search(pattern, line).groups() for line in lines]).astype(float)


@pytest.mark.slow
def test_the_page_says_what_the_command_prints(capsys):
    """The lines of a small run on the page, numbers within a few hundredths."""
    block = next(each for each in re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL) if "--images" in each)
    asked, *lines = block.splitlines()
    command.main(asked.split("examples.recoils ")[1].split())
    printed = capsys.readouterr().out
    for line in lines:
        like = [each for each in printed.splitlines() if each.startswith(line[:16])]
        assert like, line
        ours, theirs = (np.array([float(n) for n in re.findall(r"\d+\.\d+", each)]) for each in (line, like[0]))
        np.testing.assert_allclose(ours, theirs, atol=0.04, err_msg=line)


@pytest.mark.slow
def test_all_approaches_run(capsys, tmp_path):
    pytest.importorskip("torch")
    command.main(["--images", "160", "--epochs", "1", "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "both stacked" in printed
    assert "head, network" in printed
    assert len(list(tmp_path.glob("*.png"))) == 5
