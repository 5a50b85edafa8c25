"""Cores, and how many a decomposition takes."""

from featlearn.processors import cores, one_core_each, take_one_core_each


def test_there_is_a_core():
    assert cores() >= 1


def test_one_core_is_taken_unless_the_user_said_how_many(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert not one_core_each()
    take_one_core_each()
    assert one_core_each()
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    take_one_core_each()
    assert not one_core_each()
