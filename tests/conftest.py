"""Tests run in 64-bit; the few that check 32-bit sessions say so themselves."""

import gc
import signal
from pathlib import Path

from featlearn.processors import take_one_core_each

take_one_core_each()  # as the command line does, and before JAX is loaded: tests run side by side

import jax  # noqa: E402
import pytest  # noqa: E402

from featlearn.fleet import _map  # noqa: E402

jax.config.update("jax_enable_x64", True)

# A shell that starts tests in the background has them ignore these, and so would what they start.
for _name, _handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGQUIT, signal.SIG_DFL),
):
    if signal.getsignal(_name) is signal.SIG_IGN:
        signal.signal(_name, _handler)

MAPS = Path("/proc/self/maps")
MANY = 20_000  # of the 65 530 that Linux allows a process; each compiled program takes a few


@pytest.fixture(autouse=True, scope="module")
def _room_for_programs():
    """Without it the compiler crashes when the mappings run out, somewhere in the second half."""
    yield
    if MAPS.exists() and MAPS.read_bytes().count(b"\n") > MANY:
        _map._compiled.cache_clear()
        jax.clear_caches()
        gc.collect()
