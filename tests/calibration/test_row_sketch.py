import numpy as np
import pytest

import probus
from probus.calibration import ConformalRegressor
from probus.calibration._conformal_base import row_sketch, share_known
from probus.dummy import ZeroRRegressor


@pytest.mark.parametrize("n", [40, 20_000])
def test_the_share_of_known_rows_is_found(n):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, 3))
    mixed = np.vstack([rows[: n // 4], rng.normal(size=(n - n // 4, 3))])
    assert share_known(mixed, row_sketch(rows)) == pytest.approx(0.25, abs=0.06)


def test_few_new_rows_of_many_cannot_be_judged():
    rows = np.random.default_rng(0).normal(size=(50_000, 2))
    assert share_known(rows[:1] + 1, row_sketch(rows)) in (None, 0.0)
    assert share_known(np.empty((0, 2)), row_sketch(rows)) is None


def test_a_loaded_model_recognises_its_rows_in_any_container(tmp_path):
    table = probus.datasets.penguins()
    X, new = table.drop("body_mass_g", "species").take(slice(0, 200)), table.take(slice(200, None))
    y = np.arange(200.0)
    model = ConformalRegressor(probus.tabular(ZeroRRegressor()), cv=2, method="cv", scaled=False).fit(X, y)
    model = probus.load(probus.save(model, tmp_path / "m.probus"))
    assert model.share_of_training_rows(X.to_pandas()) == 1.0
    assert model.share_of_training_rows(new) < 0.1
