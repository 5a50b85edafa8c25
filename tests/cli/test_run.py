import jax
import pytest


def test_cells_are_computed_once(featlearn):
    first = featlearn("run", "toy/holds")
    assert (first.code, first.out) == (0, "toy/holds: 6 cells, 6 of them computed now.\n")
    assert "toy/holds: 6 of 6 cells to compute" in first.err
    again = featlearn("run", "toy/holds")
    assert again.out == "toy/holds: 6 cells, 0 of them computed now.\n"
    assert again.err == ""


def test_a_claim_that_fails_is_no_failure_of_the_run(featlearn):
    assert featlearn("run", "bad/fails").code == 0


@pytest.mark.parametrize(("study", "variable"), [("toy/holds", "BREAK"), ("bad/broken", "NOTHING")])
def test_cells_that_fail_and_claims_that_cannot_be_judged_are(
    featlearn, monkeypatch, study, variable
):
    monkeypatch.setenv(variable, "1")
    ended = featlearn("run", study)
    assert ended.code == 1
    assert ("the study broke" if variable == "BREAK" else "could not be judged") in ended.out


def test_json_is_pure_and_says_what_was_run(featlearn):
    ended = featlearn("run", "toy", "--tier", "smoke", "--seeds", 3, "--set", "n=1,2", "--json")
    assert ended.err == ""
    record = ended.json["studies"][0]
    assert record["settings"] == {"n": [1, 2], "dim": 2}
    assert record["command"] == "featlearn run toy/holds --tier smoke --set n=1,2 --seeds 3"
    assert record["cells"] == {
        "cells": 6, "done": 6, "diverged": 0, "stale": 0, "failed": 0, "running": 0, "missing": 0,
    }  # fmt: skip
    assert record["computed"] == 6


def test_it_computes_in_64_bit_and_keeps_compiled_programs(featlearn, tmp_path):
    jax.config.update("jax_enable_x64", False)
    featlearn("run", "toy/holds")
    assert jax.config.jax_enable_x64
    (kept,) = (tmp_path / "cache" / "featlearn").iterdir()
    assert jax.config.jax_compilation_cache_dir == str(kept)
    assert jax.config.jax_persistent_cache_min_compile_time_secs == 0


def test_where_no_program_can_be_kept_it_goes_without(featlearn, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    before = jax.config.jax_compilation_cache_dir
    assert featlearn("run", "toy/holds").code == 0
    assert jax.config.jax_compilation_cache_dir == before


def test_a_machine_without_a_device_is_told_before_anything_runs(featlearn, monkeypatch):
    def nothing():
        raise RuntimeError("no platform foo\nmore")

    monkeypatch.setattr(jax, "devices", nothing)
    monkeypatch.setenv("JAX_PLATFORMS", "foo")
    ended = featlearn("run", "toy/holds")
    assert ended.code == 2
    assert ended.err == (
        "featlearn: JAX finds no device (no platform foo). JAX_PLATFORMS is foo: unset it.\n"
    )
