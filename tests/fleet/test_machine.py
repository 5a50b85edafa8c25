"""Programs take turns, and compilers share."""

import threading
import time

import pytest

from featlearn.fleet import _machine
from featlearn.fleet._machine import Machine, Need


class Log:
    """What is under way, and the most that was at once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.now = {"compiling": 0, "running": 0}
        self.together = set()

    def spend(self, kind, seconds=0.02):
        with self.lock:
            self.now[kind] += 1
            self.together.add((self.now["compiling"], self.now["running"]))
        time.sleep(seconds)
        with self.lock:
            self.now[kind] -= 1


def work(machine, log, need):
    with machine.compiling():
        log.spend("compiling")
    with machine.running(need):
        log.spend("running")


NEEDS = (Need(),) * 6


def seen(needs=NEEDS):
    machine, log = Machine(), Log()
    threads = [threading.Thread(target=work, args=(machine, log, need)) for need in needs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()
    return log.together


@pytest.fixture
def one_core_each(monkeypatch):
    monkeypatch.setattr(_machine, "one_core_each", lambda: True)
    monkeypatch.setattr(_machine, "cores", lambda: 3)


@pytest.fixture
def many_cores_each(monkeypatch):
    monkeypatch.setattr(_machine, "one_core_each", lambda: False)


@pytest.mark.usefixtures("many_cores_each")
def test_a_program_whose_decompositions_take_many_cores_has_a_cpu_to_itself():
    together = seen()
    assert max(compiling for compiling, _ in together) > 1
    assert max(running for _, running in together) == 1
    assert not any(compiling and running for compiling, running in together)


@pytest.mark.usefixtures("one_core_each")
def test_where_they_take_one_every_core_compiles_or_runs_a_program():
    together = seen([Need()] * 12)
    assert max(running for _, running in together) > 1
    assert max(compiling + running for compiling, running in together) == 3


@pytest.mark.usefixtures("one_core_each")
def test_programs_that_would_not_fit_together_run_one_after_another(monkeypatch):
    monkeypatch.setattr(_machine, "machine_bytes", lambda: 100)
    assert max(running for _, running in seen([Need(bytes=30)] * 6)) == 1
    assert max(running for _, running in seen([Need(bytes=20)] * 6)) == 2


@pytest.mark.usefixtures("one_core_each")
def test_a_program_that_must_be_alone_is():
    together = seen([Need(alone=True)] * 4)
    assert not any(running and compiling + running > 1 for compiling, running in together)


def test_elsewhere_the_compiler_goes_on(monkeypatch):
    monkeypatch.setattr(_machine, "_accelerated", lambda: True)
    together = seen()
    assert max(running for _, running in together) == 1
    assert any(compiling and running for compiling, running in together)


@pytest.mark.parametrize("turn", ["compiling", "running"])
def test_a_turn_that_fails_is_given_back(turn):
    machine = Machine()
    taken = machine.compiling() if turn == "compiling" else machine.running(Need(alone=True))
    with pytest.raises(ValueError, match="broken"), taken:
        raise ValueError("broken")
    done = threading.Thread(target=work, args=(machine, Log(), Need(alone=True)))
    done.start()
    done.join(timeout=5)
    assert not done.is_alive()
