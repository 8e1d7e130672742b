from types import SimpleNamespace

import numpy as np
import pytest

from probus import Column, Table


@pytest.fixture
def weather():
    """Whether to play, by the weather: Quinlan (1986), table 1, and with numbers Quinlan (1993), chapter 2."""
    outlook = np.array(["sunny", "overcast", "rain"])[[0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2]]
    temperature = np.array(["hot", "mild", "cool"])[[0, 0, 0, 1, 2, 2, 2, 1, 2, 1, 1, 1, 0, 1]]
    humidity = np.array(["high", "normal"])[[0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0]]
    windy = np.array(["no", "yes"])[[0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1]]
    columns = {"outlook": outlook, "temperature": temperature, "humidity": humidity, "windy": windy}
    table = Table(Column.labels(name, cells.tolist()) for name, cells in columns.items())
    degrees = Column.numbers("temperature", [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71])
    percent = Column.numbers("humidity", [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91])
    plays = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0])
    return SimpleNamespace(
        table=table,
        with_numbers=table.with_columns(degrees, percent),
        plays=plays,
        play=np.array(["no", "yes"])[plays],
    )
