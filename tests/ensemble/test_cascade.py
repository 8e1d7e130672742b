"""Cascades: stages that reach their targets, rows that leave early, and what is found in larger images."""

import numpy as np
import pytest

import probus
from probus.ensemble import AdaBoostClassifier, CascadeClassifier
from probus.ensemble.cascade import _detections as detections
from probus.errors import DataError
from probus.preprocessing import HaarFeatures

SIZE = 10


def windows(n, seed, contrast=1.0):
    """Noise, and in half of the images a ring."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    images = rng.normal(size=(n, SIZE, SIZE))
    images[y == 1] += contrast * ring()
    return images, y


def ring():
    r = np.hypot(*(np.indices((SIZE, SIZE)) - (SIZE - 1) / 2))
    return np.where((r > 2) & (r < 4.5), 1.0, -0.5)


@pytest.fixture(scope="module")
def cascade():
    features = HaarFeatures(max_features=300, random_state=0)
    return CascadeClassifier(features, max_stumps=64, detection_rate=0.98, random_state=0).fit(*windows(2000, 0))


def test_stages_reach_the_targets_on_rows_that_were_held_out(cascade):
    """The false-positive rates of the notes: 50, 20 and 2 %."""
    stages = cascade.stages_
    assert stages.targets.tolist() == [0.5, 0.2, 0.02]
    assert (stages.passing <= stages.targets).all()
    assert (stages.detected >= 0.98 ** np.arange(1, 4) - 1e-9).all()
    assert stages.stumps[0] <= stages.stumps[-1]
    assert "negatives pass" in str(stages)


def test_rates_hold_on_new_rows(cascade):
    """Judged on images of another seed; targets are met on few hundred rows, with their error."""
    images, y = windows(4000, 1)
    passed = cascade.predict(images)
    assert passed[y == 0].mean() < 0.05
    assert passed[y == 1].mean() > 0.9


def test_most_rows_leave_early_and_the_rest_are_judged_by_all(cascade):
    images, y = windows(1000, 2)
    used = cascade.stumps_used(images)
    assert used[y == 0].mean() < 0.5 * cascade.ends_[-1]
    assert (used[cascade.predict(images) == 1] == cascade.ends_[-1]).all()
    assert set(used) <= set(cascade.ends_)


def test_what_is_computed_where_needed_is_what_all_features_give(cascade):
    """The reference: every feature of every row, every stage, and no leaving."""
    images, _ = windows(300, 3)
    values = cascade.features_.transform(images)
    votes = np.where(values[:, cascade.column_] <= cascade.cut_, cascade.votes_[:, 0], cascade.votes_[:, 1])
    passes, start = np.ones(len(images), dtype=bool), 0
    for end, threshold in zip(cascade.ends_, cascade.thresholds_, strict=True):
        passes &= votes[:, start:end].cumsum(axis=1)[:, -1] >= threshold - 1e-12
        start = end
    np.testing.assert_array_equal(cascade.predict(images), passes.astype(int))
    np.testing.assert_array_equal(cascade.decision_function(images) > 0, passes)


def test_one_stage_is_adaboost_with_its_threshold_moved():
    X = np.random.default_rng(0).normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    with pytest.warns(UserWarning, match="Stage 1 lets"):
        model = CascadeClassifier(
            false_positive_rates=[0.0], detection_rate=1.0, max_stumps=8, validation_fraction=0
        ).fit(X, y)
    votes = AdaBoostClassifier(n_estimators=8).fit(X, y)
    ranks = [np.argsort(np.argsort(each.decision_function(X).round(9), kind="stable")) for each in (model, votes)]
    np.testing.assert_array_equal(*ranks)
    assert (model.predict(X)[y == 1] == 1).all()


def test_detection_finds_what_was_put_there(cascade):
    rng = np.random.default_rng(4)
    image = rng.normal(size=(60, 80))
    places = [(5, 7), (40, 20), (22, 61)]
    for row, column in places:
        image[row : row + SIZE, column : column + SIZE] += 2.5 * ring()
    found = cascade.detect(image, scale=1)
    best = found.boxes[np.argsort(-found.windows)[:3]]
    np.testing.assert_allclose(sorted(map(tuple, best[:, :2])), sorted(places), atol=1.5)
    assert found.examined == (60 - SIZE + 1) * (80 - SIZE + 1)
    assert found.stumps < 0.5 * cascade.ends_[-1]
    assert f"{found.examined:,} windows" in str(found)


def test_windows_of_an_image_have_the_scores_of_their_crops(cascade):
    image = np.random.default_rng(5).normal(size=(15, 14))
    places, scores, _ = cascade._in_windows(image, 2)
    crops = np.array([image[r : r + SIZE, c : c + SIZE] for r, c in places])
    np.testing.assert_allclose(scores, cascade.decision_function(crops), atol=1e-9)


def test_larger_things_are_found_in_smaller_images(cascade):
    image = 0.3 * np.random.default_rng(6).normal(size=(70, 70))
    image[20:50, 30:60] += 2.5 * np.kron(ring(), np.ones((3, 3)))
    found = cascade.detect(image, scale=1.2, fewest=3)
    large = found.boxes[(found.boxes[:, 2] > 2 * SIZE)]
    assert min(np.abs(large - [20, 30, 30, 30]).sum(axis=1)) < 20


def test_windows_that_overlap_are_one_detection():
    boxes = np.array([[0, 0, 4, 4], [0, 1, 4, 4], [9, 9, 4, 4]], dtype=float)
    mean, best, count = detections.merged(boxes, np.array([0.6, 0.9, 0.7]), 0.3, 1)
    assert mean.tolist() == [[0, 0.5, 4, 4], [9, 9, 4, 4]]
    assert (best.tolist(), count.tolist()) == ([0.9, 0.7], [2, 1])
    assert len(detections.merged(boxes, np.zeros(3), 0.3, 2)[0]) == 1


def test_a_saved_cascade_detects_the_same(cascade, tmp_path):
    loaded = probus.load(probus.save(cascade, tmp_path / "c.probus"))
    image = windows(1, 7)[0][0]
    image = np.tile(image, (2, 2))
    np.testing.assert_array_equal(loaded.detect(image).boxes, cascade.detect(image).boxes)


def test_bad_input_is_refused(cascade):
    images, y = windows(40, 8)
    with pytest.raises(DataError, match="the target has one class, 1"):
        CascadeClassifier(HaarFeatures()).fit(images, np.ones(40, dtype=int))
    with pytest.raises(DataError, match=r"has 3 classes.\n  Expected two classes"):
        CascadeClassifier(HaarFeatures()).fit(images, np.arange(40) % 3)
    with pytest.raises(DataError, match="falling shares below 1"):
        CascadeClassifier(false_positive_rates=[0.2, 0.5]).fit(images.reshape(40, -1), y)
    with pytest.raises(DataError, match=r"an image of 8 × 30 pixels.\n  Expected one of 10 × 10 or more"):
        cascade.detect(np.zeros((8, 30)))
    with pytest.raises(DataError, match=r"an image of shape \(3, 20, 20\)"):
        cascade.detect(np.zeros((3, 20, 20)))
    with pytest.raises(DataError, match="an image of 0 × 0 pixels"):
        cascade.detect(np.zeros((0, 0)))
    with pytest.raises(DataError, match="step=0"):
        cascade.detect(np.zeros((20, 20)), step=0)
    with pytest.raises(DataError, match=r"scale=0\.5"):
        cascade.detect(np.zeros((20, 20)), scale=0.5)
    with pytest.raises(DataError, match=r"overlap=0\.\n  Expected a share above 0"):
        cascade.detect(np.zeros((20, 20)), overlap=0)
    with pytest.raises(DataError, match="fewest=0"):
        cascade.detect(np.zeros((20, 20)), fewest=0)
    with pytest.raises(DataError, match="a cascade of columns"):
        CascadeClassifier(max_stumps=4).fit(images.reshape(40, -1), y).detect(images[0])
