"""Backends: results come back under their tickets; what is not installed is said."""

import sys

import jax
import pytest

from featlearn.engine import make_plans
from featlearn.engine._backends import _doubles, open_backend
from featlearn.errors import InvalidInputError


def test_local_gives_each_fleet_back_with_its_ticket(toy):
    (plan,) = make_plans([toy.study], "smoke", seeds=3)
    with open_backend("local") as workers:
        workers.submit(7, toy.study.run, list(plan.cells.values()))
        ticket, computed = workers.collect()
    assert ticket == 7
    assert [outcome.values["risk"] for outcome in computed.outcomes] == [10, 11, 12]
    assert computed.started < computed.finished
    assert computed.seconds > 0


def test_what_ends_a_fleet_reaches_the_one_who_waits():
    def run(cells):
        raise SystemExit(3)

    with open_backend("local") as workers:
        workers.submit(0, run, [])
        with pytest.raises(SystemExit):
            workers.collect()


def test_without_ray_the_sentence_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not there
    with (
        pytest.raises(InvalidInputError, match=r"pip install 'featlearn\[cluster\]'"),
        open_backend("ray"),
    ):
        pass


def test_workers_are_told_to_use_64_bit_even_before_jax_is_loaded(monkeypatch):
    assert _doubles() is jax.config.jax_enable_x64 is True
    monkeypatch.delitem(sys.modules, "jax")
    monkeypatch.setenv("JAX_ENABLE_X64", "True")
    assert _doubles()
    monkeypatch.setenv("JAX_ENABLE_X64", "0")
    assert not _doubles()
