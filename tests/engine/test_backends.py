"""Backends: results come back under their tickets; what is not installed is said."""

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import jax
import pytest

from featlearn.engine import make_plans, run_plans
from featlearn.engine._backends import Ray, _doubles, open_backend
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


class FakeRay:
    """As much of Ray as the engine uses; tasks are done last in, first out."""

    def __init__(self, **resources):
        self.resources, self.asked, self.waiting = resources, [], []

    def cluster_resources(self):
        return self.resources

    def remote(self, **wanted):
        self.asked.append(wanted)

        def decorate(function):
            return SimpleNamespace(remote=lambda *words: self._start(function, words))

        return decorate

    def _start(self, function, words):
        self.waiting.append((function, words))
        return len(self.waiting) - 1

    def wait(self, references, num_returns):
        return references[-1:], references[:-1]

    def get(self, reference):
        function, words = self.waiting[reference]
        return function(*words)


@pytest.mark.parametrize(
    ("resources", "slots", "asked"),
    [
        ({"CPU": 8.0}, 8, {"num_cpus": 1}),
        ({"CPU": 8.0, "GPU": 2.0}, 2, {"num_gpus": 1}),
        ({"CPU": 0.5}, 1, {"num_cpus": 1}),
    ],
)
def test_ray_takes_a_fleet_for_each_gpu_or_core(resources, slots, asked):
    ray = FakeRay(**resources)
    assert Ray(ray).slots == slots
    assert ray.asked == [asked]


def test_fleets_that_end_in_another_order_reach_their_own_cells(toy, store, monkeypatch):
    @contextmanager
    def connect():
        yield FakeRay(CPU=2.0)

    monkeypatch.setattr("featlearn.engine._backends._ray", connect)
    (result,) = run_plans(make_plans([toy.study], "quick"), store, backend="ray")
    assert toy.fleets == [[(2, 0), (2, 1)], [(3, 0), (3, 1)], [(1, 0), (1, 1)]]
    assert store.frame(result.plan.ids)["risk"].tolist() == [10, 11, 20, 21, 30, 31]


def test_workers_are_told_to_use_64_bit_even_before_jax_is_loaded(monkeypatch):
    assert _doubles() is jax.config.jax_enable_x64 is True
    monkeypatch.delitem(sys.modules, "jax")
    monkeypatch.setenv("JAX_ENABLE_X64", "True")
    assert _doubles()
    monkeypatch.setenv("JAX_ENABLE_X64", "0")
    assert not _doubles()
