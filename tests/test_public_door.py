"""`import featlearn` is light, changes nothing, and every name it promises is there."""

import subprocess
import sys

import pytest

import featlearn


@pytest.mark.parametrize("name", featlearn.__all__)
def test_every_name_loads(name: str) -> None:
    assert getattr(featlearn, name) is not None
    assert name in dir(featlearn)


def test_names_that_are_not_there_are_refused() -> None:
    with pytest.raises(AttributeError, match=r"featlearn.*'utils'"):
        featlearn.utils  # noqa: B018


def test_all_is_sorted_and_complete() -> None:
    names = list(featlearn.__all__)
    assert names == sorted(names)
    assert set(names) == {*featlearn._MODULES, *featlearn._NAMES}


def test_importing_loads_no_jax_and_changes_no_setting() -> None:
    """In a fresh interpreter: this one has JAX loaded and 64-bit types enabled."""
    code = """
import sys
import featlearn
assert featlearn.__version__
heavy = {"jax", "numpy", "equinox", "scipy", "matplotlib"} & set(sys.modules)
assert not heavy, heavy
import jax
before = dict(jax.config.values)
for name in featlearn.__all__:
    getattr(featlearn, name)
changed = {k for k, v in jax.config.values.items() if before.get(k, v) != v}
assert not changed, changed
assert not jax.config.jax_enable_x64
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
