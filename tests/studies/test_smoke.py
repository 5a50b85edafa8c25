"""All studies from end to end, with every shape in the signatures checked as they run."""

import json
import os
import subprocess
import sys

import pytest

from featlearn.studies import STUDIES

CHECKED = """
from jaxtyping import install_import_hook

ROOMS = (
    "decompositions fleet inputs kernels learners measures.components measures.estimates "
    "measures.risks measures.subspaces samples targets tasks"
)
install_import_hook([f"featlearn.{room}" for room in ROOMS.split()], "beartype.beartype")

import sys
from featlearn.cli.main import main

try:
    main()
finally:
    import jax.numpy as jnp
    import jaxtyping
    from featlearn.measures import energy_outside

    try:
        energy_outside(jnp.ones((3, 4)), jnp.ones((5, 2)))
    except jaxtyping.TypeCheckError:
        pass
    else:
        sys.exit("a wrong shape was not refused: nothing was checked")
"""
SYSTEMS = sorted({study.system for study in STUDIES})


@pytest.mark.timeout(600)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_study_runs_is_judged_and_is_drawn(system, tmp_path):
    names = {study.name for study in STUDIES if study.system == system}
    store, page = tmp_path / "smoke.sqlite", tmp_path / "page"

    def featlearn(*words):
        return subprocess.run(
            [sys.executable, "-c", CHECKED, *words, "--store", str(store), "--json"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        )

    ended = featlearn("verify", *sorted(names), "--tier", "smoke")
    assert ended.returncode in (0, 1), ended.stderr
    told = json.loads(ended.stdout)["studies"]
    assert {study["study"] for study in told} == names
    for study in told:
        assert (study["problem"], study["failures"]) == ("", []), study["study"]
        assert study["cells"]["done"] == study["cells"]["cells"] > 0
        assert {finding["role"] for finding in study["findings"]} >= {"claim", "control"}
    ended = featlearn("report", "--out", str(page))
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["warnings"] == []
    html = (page / "index.html").read_text()
    assert "could not be drawn" not in html
    assert all(f"Figure of {name}: " in html for name in names)
