"""Augmentations: what they keep, what they change, and how much."""

import numpy as np
import pytest
from scipy import ndimage

from probus.errors import DataError
from probus.neural_network import (
    Brightness,
    DropWords,
    Flips,
    Noise,
    Rotations,
    Shifts,
    Speeds,
    SwapWords,
    Synonyms,
    Volumes,
    Zooms,
)

IMAGES = np.random.default_rng(0).normal(size=(200, 6, 9))
OF_IMAGES = [Flips(vertical=True), Shifts(), Rotations(), Zooms(), Speeds(), Brightness(), Volumes(), Noise()]


@pytest.mark.parametrize("augmentation", OF_IMAGES, ids=lambda each: type(each).__name__)
def test_shape_and_seed_are_kept(augmentation):
    changed = augmentation(IMAGES, random_state=1)
    assert changed.shape == IMAGES.shape
    np.testing.assert_array_equal(changed, augmentation(IMAGES, random_state=1))
    assert not np.array_equal(changed, IMAGES)
    with_channels = augmentation(IMAGES[..., None], random_state=1)
    np.testing.assert_array_equal(with_channels[..., 0], changed)


@pytest.mark.parametrize("cls", [Shifts, Rotations, Zooms, Speeds, Brightness, Volumes, Noise])
def test_a_share_of_nothing_changes_nothing(cls):
    np.testing.assert_allclose(cls(0.0)(IMAGES), IMAGES, atol=1e-6)


def test_half_of_the_images_are_flipped():
    changed = Flips()(IMAGES, random_state=0)
    flipped = (changed == IMAGES[:, :, ::-1]).all(axis=(1, 2))
    kept = (changed == IMAGES).all(axis=(1, 2))
    assert (flipped ^ kept).all()
    assert 70 < flipped.sum() < 130


def test_a_rotation_is_that_of_scipy():
    """A wide smooth image, turned about its middle by an angle that is found by trying."""
    grid = np.arange(41) - 20.0
    image = np.exp(-((grid[:, None] / 4) ** 2) - ((grid - 3) / 9) ** 2)
    turned = Rotations(30.0)(image[None], random_state=0)[0]
    angles = np.linspace(-30, 30, 241)
    wrong = [
        np.abs(ndimage.rotate(image, angle, reshape=False, order=1, mode="nearest") - turned).max() for angle in angles
    ]
    assert min(wrong) < 0.01
    assert 1 < abs(angles[int(np.argmin(wrong))]) < 30


def test_a_shift_moves_by_the_share_at_most():
    line = np.zeros((300, 1, 50))
    line[:, :, 25] = 1.0
    moved = Shifts(0.1)(line, random_state=0)
    places = (moved[:, 0] * np.arange(50)).sum(axis=1) / moved[:, 0].sum(axis=1)
    assert np.abs(places - 25).max() <= 5.0
    assert np.abs(places - 25).max() > 4.0


def test_speed_changes_the_frequency_of_a_sound():
    time = np.arange(400) / 400
    sound = np.sin(2 * np.pi * 20 * time)[None, None, :].repeat(40, axis=0)
    changed = Speeds(0.2)(sound, random_state=0)[:, 0]
    crossings = (np.diff(np.sign(changed), axis=1) != 0).sum(axis=1) / 2
    assert crossings.min() >= 15
    assert crossings.max() <= 25
    assert np.ptp(crossings) > 3


@pytest.mark.parametrize("augmentation", [Shifts(0.1), Speeds(0.1), Volumes(0.2), Noise(0.1)])
def test_sounds_are_rows_of_steps(augmentation):
    sounds = np.random.default_rng(0).normal(size=(3, 50))
    images = augmentation(sounds[:, None, :], random_state=0)
    np.testing.assert_array_equal(augmentation(sounds, random_state=0), images[:, 0])


def test_noise_has_its_standard_deviation():
    assert np.std(Noise(0.3)(IMAGES, random_state=0) - IMAGES) == pytest.approx(0.3 * IMAGES.std(), rel=0.03)


def test_brightness_is_one_number_for_an_image():
    added = Brightness(0.5)(IMAGES, random_state=0) - IMAGES
    assert np.ptp(added, axis=(1, 2)).max() < 1e-12
    assert added[:, 0, 0].std() == pytest.approx(0.5 * IMAGES.std(), rel=0.15)


def test_volume_is_a_factor():
    factor = Volumes(0.2)(IMAGES, random_state=0)[:, 0, 0] / IMAGES[:, 0, 0]
    assert factor.min() >= 0.8
    assert factor.max() <= 1.2


TEXTS = ["one two three four five six seven eight nine ten"] * 100


def test_words_are_dropped_and_one_is_kept():
    lengths = [len(text.split()) for text in DropWords(0.3)(TEXTS, random_state=0)]
    assert np.mean(lengths) == pytest.approx(7.0, abs=0.3)
    assert DropWords(1.0)(["a b c"]) == ["a"]
    assert DropWords(1.0)([""]) == [""]


def test_neighbours_are_swapped():
    swapped = SwapWords(0.2)(TEXTS, random_state=0)
    assert all(sorted(text.split()) == sorted(TEXTS[0].split()) for text in swapped)
    assert sum(text != TEXTS[0] for text in swapped) > 50
    assert SwapWords(1.0)(["a b", "c", ""]) == ["b a", "c", ""]


def test_synonyms_replace_their_words_only():
    changed = Synonyms({"two": ["2", "pair"]}, share=0.5)(TEXTS, random_state=0)
    found = [text.split()[1] for text in changed]
    assert set(found) == {"two", "2", "pair"}
    assert all(text.split()[2:] == TEXTS[0].split()[2:] for text in changed)
    assert found.count("two") == pytest.approx(50, abs=15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Shifts(-0.1), r"Shifts\(share=-0.1\)\.\n  Expected a number, 0 or more"),
        (lambda: Noise(float("nan")), r"Noise\(share=nan\)"),
        (lambda: DropWords(2.0), r"DropWords\(share=2.0\)\.\n  Expected a share from 0 to 1"),
        (lambda: Synonyms({"a": "b"}), r"Synonyms of words without a list.*\n.*Pass"),
        (lambda: Noise()(np.zeros(3)), r"an array of shape \(3,\)"),
    ],
)
def test_bad_settings_say_what_to_do(make, message):
    with pytest.raises(DataError, match=message):
        make()
