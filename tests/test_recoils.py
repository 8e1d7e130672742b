"""Simulated recoils: stopping powers as tabulated, charge conserved, and labels that nothing else gives away."""

import numpy as np
import pytest

import probus
from probus.data import Table
from probus.datasets import _recoils as camera
from probus.datasets import _stopping as stopping
from probus.datasets import _tracks as tracks
from probus.datasets import recoils
from probus.ensemble import HistGradientBoostingClassifier
from probus.errors import DataError
from probus.metrics import roc

# NIST, ESTAR: energy in keV, range of continuous slowing down in g/cm² in liquid water and in dry air
ESTAR = {
    10: (2.515e-4, 2.884e-4),
    15: (5.147e-4, 5.886e-4),
    20: (8.566e-4, 9.782e-4),
    30: (1.756e-3, 2.002e-3),
    50: (4.320e-3, 4.913e-3),
    100: (1.431e-2, 1.623e-2),
}


@pytest.fixture(scope="module")
def made():
    return recoils(6000, random_state=1)


def column(made, name):
    return np.asarray(made.truth[name].values)


# -- slowing down ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("energy", ESTAR)
def test_electrons_have_the_ranges_of_estar(energy):
    """Each element has the mean excitation energy of the mixture, as ESTAR's."""
    hydrogen, oxygen = (stopping.Element(Z, A, 0.075) for Z, A in ((1, 1.008), (8, 15.999)))
    water = stopping.Gas(((hydrogen, 2), (oxygen, 1)), 1.0)
    nitrogen, oxygen, argon = (stopping.Element(Z, A, 0.0857) for Z, A in ((7, 14.007), (8, 15.999), (18, 39.948)))
    air = stopping.Gas(((nitrogen, 2 * 0.7844), (oxygen, 2 * 0.2108), (argon, 0.0047)), 1.0)
    for gas, known in zip((water, air), ESTAR[energy], strict=True):
        assert stopping.slowing_of_electrons(gas).path_at(energy) == pytest.approx(known, rel=2e-3)


def test_scattering_agrees_with_highlands_formula_where_that_is_valid():
    """RMS angles of the Particle Data Group's formula, of 1 and 5 MeV electrons in carbon; it leaves out the tails."""
    X0 = 42.7  # g/cm² of carbon
    carbon = stopping.Gas(((stopping.CARBON, 1),), 1.0)
    for energy, share in ((1000.0, 2e-3), (5000.0, 1e-2)):
        tau = energy / 511
        momentum_velocity = energy * (tau + 2) / (tau + 1)
        plane = 13_600 / momentum_velocity * np.sqrt(share) * (1 + 0.038 * np.log(share))
        bend = stopping.electron_scattering(np.array([energy]), carbon)[0] * share * X0
        assert 1.0 < bend / plane**2 < 1.7  # 1 − cos θ of both planes is θ₀²


def test_the_range_of_electrons_lies_in_the_spread_of_sources():
    """Kobetich and Katz (1968): the practical range, R = A E (1 − B / (1 + C E)), lies between."""
    rng = np.random.default_rng(0)
    slowing = stopping.slowing_of_electrons()
    for energy in (5.0, 10.0, 20.0, 30.0):
        practical = 5.37e-4 * energy * (1 - 0.9815 / (1 + 3.123e-3 * energy)) / stopping.HE_CF4.density * 10
        path = 10 * slowing.path_at(energy)
        places, _ = tracks.paths(np.full(500, energy), slowing, 0.0, rng)
        mean_reach = np.linalg.norm(places, axis=2).max(axis=1).mean()
        assert 0.3 * practical < mean_reach < 1.1 * practical
        assert 0.7 * path < practical < 1.1 * path
        np.testing.assert_allclose(np.linalg.norm(np.diff(places, axis=1), axis=2).sum(axis=1), path)


def test_helium_stays_below_a_millimetre():
    """As CYGNO (2022, Instruments 6) finds with SRIM; electronic stopping alone is an upper bound in closed form."""
    slowing = stopping.slowing_of_helium()
    E = np.array([2.0, 5.0, 10.0, 30.0])
    bound = 2 * E / stopping.electronic_stopping(E, stopping.HE_CF4) / stopping.HE_CF4.density
    path = slowing.path_at(E)
    assert (path < bound).all()
    assert (path > 0.3 * bound).all()
    assert 10 * path[-1] < 1.0
    assert 10 * path[2] == pytest.approx(0.25, abs=0.1)


def test_the_share_of_helium_that_ionises_is_lindhards():
    """Computed by hand: ε = 11.5 · 2^(−7/3) · 10 = 22.8, g = 32.1, k = 0.1056, k g / (1 + k g) = 0.772."""
    assert stopping.lindhard(10.0) == pytest.approx(0.772, abs=2e-3)
    assert (np.diff(stopping.lindhard(np.array([1.0, 3.0, 10.0, 30.0]))) > 0).all()


# -- tracks ------------------------------------------------------------------------------------------------------


def test_turned_directions_have_the_mean_cosine():
    rng = np.random.default_rng(0)
    start = tracks.isotropic(20_000, rng)
    for mean in (0.2, 0.6, 0.95, 0.999):
        new = tracks.turned(start, np.full(len(start), mean), rng)
        np.testing.assert_allclose(np.linalg.norm(new, axis=1), 1)
        assert (new * start).sum(axis=1).mean() == pytest.approx(mean, abs=0.02)


def test_electrons_ionise_most_at_their_end_and_helium_at_its_start():
    """Bragg's peak: the charge on the second half of a path, against the tables."""
    rng = np.random.default_rng(0)
    for slowing, clustered in ((stopping.slowing_of_electrons(), True), (stopping.slowing_of_helium(), False)):
        energy = np.full(300, 20.0)
        straight = np.zeros((300, 49, 3))
        straight[:, :, 0] = 10 * (slowing.path_at(20.0) - slowing.path_at(energy[:, None] * np.linspace(1, 0, 49)))
        _, where = tracks.charges_along(straight, energy, slowing, np.full(300, 400), clustered, rng)
        half = slowing.path_at(20.0) / 2
        expected = slowing.visible_at(np.interp(half, slowing.path, slowing.energy)) / slowing.visible_at(20.0)
        assert (where[:, 0] > 10 * half).mean() == pytest.approx(expected, abs=0.02)
        assert (expected > 0.6) == clustered
        assert (expected < 0.4) != clustered


# -- light -------------------------------------------------------------------------------------------------------


def test_the_light_is_that_of_the_energy(made):
    """Energy in equals charge out, up to what is lost on the drift and to fluctuations."""
    for helium in (False, True):
        mine = (made.classes == "helium") == helium
        pairs = column(made, "visible")[mine] / camera.PER_PAIR * np.exp(-column(made, "drift")[mine] / camera.SURVIVAL)
        ratio = column(made, "light")[mine] / column(made, "contained")[mine] / (pairs * camera.LIGHT)
        assert np.average(ratio, weights=pairs) == pytest.approx(1.0, abs=0.005)
        deviation = (ratio - 1) * np.sqrt(
            pairs
        )  # Fano's and the loss's variance below 1, that of the gain, the light's
        assert 1.0 < deviation.var() < 2.3


def test_images_are_the_light_on_the_pedestal(made):
    counts = made.images.sum(axis=(1, 2), dtype=float)
    known = column(made, "light") + column(made, "noise") + column(made, "offset") * 48**2
    np.testing.assert_allclose(counts - known, (counts - known)[0], atol=150)  # roundings of 2,304 pixels


def test_almost_all_tracks_are_contained(made):
    assert (column(made, "contained") > 0.99).mean() > 0.98


def test_spots_are_as_wide_as_the_diffusion():
    """The transverse profile: variance a + b · drift, and that of a pixel."""
    _, classes, truth = made = recoils(3000, random_state=2, energy=(1, 2), noise=0)
    small = np.flatnonzero(classes == "helium")
    light = made.images[small].astype(float) - np.median(made.images, axis=0)
    light -= np.median(light, axis=(1, 2), keepdims=True)
    light[light < 2] = 0
    x = camera.PIXEL * np.arange(48)
    total = light.sum(axis=(1, 2))
    mean = (light * x).sum(axis=(1, 2)) / total
    variance = (light * (x - mean[:, None, None]) ** 2).sum(axis=(1, 2)) / total
    drift = np.asarray(truth["drift"].values)[small]
    known = camera.SPREAD[0] + camera.SPREAD[1] * drift + camera.PIXEL**2 / 12
    n = np.asarray(truth["charge"].values)[small]
    assert np.mean(variance / (known * (1 - 2 / n))) == pytest.approx(1.0, abs=0.05)


# -- labels ------------------------------------------------------------------------------------------------------


def test_nothing_but_the_track_gives_the_class_away(made):
    known = {name: column(made, name) for name in ("row", "column", "drift", "offset", "noise")}
    corner = made.images[:, :3, :].mean(axis=(1, 2))
    nuisances = Table.of({**known, "corner": corner, "number": np.arange(len(corner), dtype=float)})
    model = HistGradientBoostingClassifier(max_iter=20, random_state=0)
    area = probus.resample(model, nuisances, made.classes, cv=3, random_state=0).estimate("roc_auc")
    assert 0.5 in area


def test_the_brightness_gives_the_class_away_only_where_recoil_energies_are_alike(made):
    assert 0.5 in roc(made.classes, column(made, "light"), band=False).area
    darker = recoils(2000, random_state=0, match="recoil")
    assert roc(darker.classes, -np.asarray(darker.truth["light"].values), band=False).area.low > 0.53


def test_the_seed_gives_the_images_and_other_seeds_others():
    first, again, other = (recoils(20, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.images, again.images)
    assert (first.classes == again.classes).all()
    assert not np.array_equal(first.images, other.images)
    assert sorted(first.classes).count("helium") == 10


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"n": 0}, "n=0"),
        ({"energy": (0.2, 30)}, r"energy from 0.2 to 30 keV.\n  Expected the lowest first, from 1 to 50 keV"),
        ({"energy": (1, 80)}, "longer tracks leave the image"),
        ({"energy": (9, 3)}, "energy from 9 to 3"),
        ({"energy": 5}, r"as \(1.0, 50.0\)"),
        ({"energy": (1, float("nan"))}, "from 1 to nan"),
        ({"drift": (-1, 20)}, "drift from -1 to 20 cm"),
        ({"match": "light"}, "'visible' or 'recoil'"),
        ({"size": 8}, "from 16 to 512"),
        ({"noise": -1}, "0 or more"),
    ],
)
def test_bad_input_is_refused(wrong, text):
    with pytest.raises(DataError, match=text):
        recoils(**{"n": 10, **wrong})


def test_numbers_of_numpy_are_numbers():
    images = [recoils(4, random_state=0, noise=noise).images for noise in (2.0, np.float32(2.0), np.int64(2))]
    np.testing.assert_array_equal(images[0], images[1])
    np.testing.assert_array_equal(images[0], images[2])
