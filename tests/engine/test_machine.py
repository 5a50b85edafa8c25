"""What a cell was computed with."""

import sys
from types import SimpleNamespace

import jax
import pytest

from featlearn.engine import device, processor, versions
from featlearn.processors import cores


def test_versions_are_those_that_are_loaded():
    assert versions()["jax"] == jax.__version__
    assert versions()["python"] == ".".join(map(str, sys.version_info[:3]))


def gpus(count):
    return [SimpleNamespace(platform="gpu", device_kind="H200")] * count


@pytest.mark.parametrize(("count", "said"), [(1, "H200"), (4, "4 × H200")])
def test_devices_are_named_by_kind_and_number(monkeypatch, count, said):
    monkeypatch.setattr(jax, "devices", lambda: gpus(count))
    assert device() == said


def test_without_jax_or_without_a_gpu_it_is_the_processor(monkeypatch):
    monkeypatch.setattr(jax, "devices", lambda: [SimpleNamespace(platform="cpu", device_kind="x")])
    assert device() == processor()
    monkeypatch.delitem(sys.modules, "jax")
    assert device() == processor()
    assert f"{cores()} core" in processor()
