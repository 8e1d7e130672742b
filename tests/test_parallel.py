import joblib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.parallel import chunked, thread_count


@given(st.integers(0, 50), st.integers(1, 4), st.one_of(st.none(), st.integers(1, 7)))
def test_chunks_cover_the_range_once_and_in_order(n, threads, chunk):
    parts = chunked(lambda start, stop: list(range(start, stop)), n, threads, chunk=chunk)
    assert [i for part in parts for i in part] == list(range(n))


def test_small_work_gets_one_thread():
    assert thread_count(8, 1000) == 1
    assert thread_count(None, 1000) == 1


def test_large_work_gets_what_is_allowed(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_count(3, 1e12) == 3
    assert thread_count(None, 1e12) == joblib.cpu_count()
    assert thread_count(-1, 1e12) == joblib.cpu_count()
    with joblib.parallel_config(n_jobs=1):
        assert thread_count(None, 1e12) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count(None, 1e12) == 1


def test_an_error_in_a_chunk_reaches_the_caller():
    def fails(start, stop):
        raise KeyError(start)

    with pytest.raises(KeyError):
        chunked(fails, 4, threads=2)
