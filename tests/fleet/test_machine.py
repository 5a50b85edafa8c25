"""Programs take turns, and compilers share."""

import threading
import time

import pytest

from featlearn.fleet import _machine
from featlearn.fleet._machine import Machine


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


def work(machine, log):
    with machine.compiling():
        log.spend("compiling")
    with machine.running():
        log.spend("running")


def seen(count=6):
    machine, log = Machine(), Log()
    threads = [threading.Thread(target=work, args=(machine, log)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()
    return log.together


def test_on_a_cpu_nothing_is_compiled_while_a_program_runs():
    together = seen()
    assert max(compiling for compiling, _ in together) > 1
    assert max(running for _, running in together) == 1
    assert not any(compiling and running for compiling, running in together)


def test_elsewhere_the_compiler_goes_on(monkeypatch):
    monkeypatch.setattr(_machine, "_accelerated", lambda: True)
    together = seen()
    assert max(running for _, running in together) == 1
    assert any(compiling and running for compiling, running in together)


@pytest.mark.parametrize("turn", ["compiling", "running"])
def test_a_turn_that_fails_is_given_back(turn):
    machine = Machine()
    with pytest.raises(ValueError, match="broken"), getattr(machine, turn)():
        raise ValueError("broken")
    done = threading.Thread(target=work, args=(machine, Log()))
    done.start()
    done.join(timeout=5)
    assert not done.is_alive()
