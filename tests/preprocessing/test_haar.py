"""Haar-like features: sums by brute force, counts of the literature, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.errors import DataError
from probus.preprocessing import HaarFeatures
from probus.preprocessing import _haar as haar


def brute(image, rectangle):
    """The sum over the little rectangles of a pattern, pixel by pixel."""
    number, row, column, height, width = rectangle
    total = 0.0
    for i, weights in enumerate(haar.PATTERNS[number].weights):
        for j, weight in enumerate(weights):
            top, left = row + i * height, column + j * width
            total += weight * image[top : top + height, left : left + width].sum()
    return total


@given(st.integers(1, 7), st.integers(2, 7), st.integers(0, 99))
def test_features_are_differences_of_sums_of_pixels(height, width, seed):
    images = np.random.default_rng(seed).normal(size=(2, height, width))
    model = HaarFeatures().fit(images)
    known = [[brute(image, each) for each in model.rectangles_] for image in images]
    np.testing.assert_allclose(model.transform(images), known, atol=1e-10)


def test_a_window_of_24_pixels_has_the_features_of_the_literature():
    """162,336 in five patterns, as with Viola and Jones. The notes' 195,075 are the pixels of a colour image."""
    found = haar.rectangles(24, 24)
    assert len(found) == 162_336
    assert np.bincount(found[:, 0]).tolist() == [43_200, 43_200, 27_600, 27_600, 20_736]
    assert len(np.unique(found, axis=0)) == len(found)
    assert 255 * 255 * 3 == 195_075


def test_features_of_one_colour_are_zero():
    model = HaarFeatures().fit(np.zeros((1, 6, 5)))
    np.testing.assert_allclose(model.transform(np.full((2, 6, 5), 7.0)), 0.0, atol=1e-9)


def test_rows_of_a_matrix_are_images():
    images = np.random.default_rng(0).normal(size=(3, 4, 5))
    of_images = HaarFeatures().fit(images).transform(images)
    flat = images.reshape(3, -1)
    np.testing.assert_array_equal(HaarFeatures(image_shape=(4, 5)).fit(flat).transform(flat), of_images)
    assert HaarFeatures().fit(flat).image_shape_.tolist() == [1, 20]


def test_drawn_features_are_some_of_all():
    every, some = (HaarFeatures(max_features=n, random_state=0).fit(np.zeros((1, 8, 8))) for n in (None, 50))
    assert len(some.rectangles_) == 50
    assert {tuple(each) for each in some.rectangles_} <= {tuple(each) for each in every.rectangles_}
    assert len(set(every.get_feature_names_out())) == len(every.rectangles_)


@pytest.mark.parametrize(
    ("images", "text"),
    [
        (np.zeros((2, 1, 1)), "1 × 1 pixels"),
        (np.zeros((2, 0, 4)), "not empty"),
        (np.full((2, 3, 3), np.nan), "missing or infinite pixels"),
        (np.array([[["a"]]]), "Expected numbers"),
    ],
)
def test_bad_images_are_refused(images, text):
    with pytest.raises(DataError, match=text):
        HaarFeatures().fit(images)


def test_other_sizes_are_refused():
    model = HaarFeatures().fit(np.zeros((1, 4, 4)))
    with pytest.raises(DataError, match=r"images of 5 × 4 pixels.\n  Expected 4 × 4, as in the training"):
        model.transform(np.zeros((1, 5, 4)))
    with pytest.raises(DataError, match="whose product is 16"):
        HaarFeatures(image_shape=(3, 4)).fit(np.zeros((2, 16)))
