"""Tests run in 64-bit; the few that check 32-bit sessions say so themselves."""

import gc
from pathlib import Path

import jax
import pytest

from featlearn.fleet import _map

jax.config.update("jax_enable_x64", True)

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
