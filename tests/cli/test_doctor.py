from collections import namedtuple
from types import SimpleNamespace

import pytest

from featlearn.cli import _checks


@pytest.fixture
def quick(monkeypatch):
    """A machine with one processor and no GPU, and measurements that take no time."""
    processor = SimpleNamespace(platform="cpu", device_kind="cpu")
    monkeypatch.setattr("jax.devices", lambda: [processor])
    monkeypatch.setattr(_checks, "_nvidia", lambda: False)
    monkeypatch.setattr(_checks, "_MATMUL", {"cpu": 64, "gpu": 64})


def test_it_says_what_there_is(featlearn, quick):
    ended = featlearn("doctor", "--json")
    assert (ended.code, ended.err) == (0, "")
    facts = ended.json["facts"]
    assert {"python", "featlearn", "jax", "jaxlib", "numpy", "processor"} < facts.keys()
    assert facts["float64"] == "works"
    assert facts["devices"].startswith("1 × cpu (cpu)")
    assert facts["compilation"].endswith("s for a small training")
    assert "kept in" in facts["compiled programs"]
    assert any("no GPU" in remedy for remedy in ended.json["remedies"])


def test_each_remedy_is_a_line_for_people(featlearn, quick):
    text = featlearn("doctor").out
    assert "matrix products" in text
    assert "\n- There is no GPU" in text


def test_a_gpu_that_jax_does_not_see_is_pointed_out(featlearn, quick, monkeypatch):
    monkeypatch.setattr(_checks, "_nvidia", lambda: True)
    remedies = featlearn("doctor", "--json").json["remedies"]
    assert any("pip install -U 'jax[cuda12]'" in remedy for remedy in remedies)


def test_where_nothing_can_be_kept_it_says_what_to_do(featlearn, quick, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    ended = featlearn("doctor", "--json")
    assert ended.json["facts"]["compiled programs"] == "not kept"
    assert any("XDG_CACHE_HOME" in remedy for remedy in ended.json["remedies"])


def test_what_is_slow_or_short_has_a_remedy(featlearn, monkeypatch):
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(_checks, "_matmul_rate", lambda rows: 1e9)
    monkeypatch.setattr(_checks, "_compile_seconds", lambda: 9.0)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage(1e6))
    monkeypatch.setattr("featlearn.memory.machine_bytes", lambda: 10**9)
    remedies = " ".join(featlearn("doctor", "--json").json["remedies"])
    for word in ("Matrices multiply slowly", "Compilation is slow", "of disk", "of memory"):
        assert word in remedies


def test_the_rate_is_that_of_the_product(monkeypatch):
    monkeypatch.setattr(_checks, "_timed", lambda action: 0.5)
    assert _checks._matmul_rate(100) == pytest.approx(2 * 100**3 / 0.5)


def test_it_still_speaks_where_there_is_no_device(featlearn, monkeypatch):
    def nothing():
        raise AssertionError

    monkeypatch.setattr("jax.devices", nothing)
    ended = featlearn("doctor", "--json")
    assert ended.json["facts"]["devices"] == "none"
    assert any("JAX finds no device (AssertionError)" in r for r in ended.json["remedies"])
