"""The command line on studies that compute in no time, in this process or in one of its own.

The studies are brought by a package with an entry point, as anybody's would be.
"""

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass

import jax
import pytest

from featlearn.cli._guard import guarded
from featlearn.cli.app import app

STUDIES = """
    import os, time
    from featlearn.claims import AtMost, Measured, judge
    from featlearn.engine import Outcome, Study

    def run(cells):
        note = os.environ.get("NOTE")
        if note:
            with open(note, "a") as file:
                file.writelines(f"{c.study} {c.parameters['n']} {c.repetition}\\n" for c in cells)
        time.sleep(float(os.environ.get("SLOW", "0")))
        if os.environ.get("BREAK"):
            raise RuntimeError("the study broke")
        return [Outcome(values={"risk": 1 / c.parameters["n"]}) for c in cells]

    def finding(name, value, width, bound, role="claim", **more):
        measured = Measured(value, value - width, value + width, 4)
        return [judge(name, f"the {role}", measured, bound, role=role, **more)]

    def holds(frame):
        return finding("toy/holds", 1.0, 0.1, AtMost(2.0), flags=("width-limited",)) + finding(
            "toy/holds", 3.0, 0.1, AtMost(2.0), "control", note="without the mechanism"
        ) + finding("toy/holds", 3.0, float("inf"), None)

    def fails(frame):
        return finding("bad/fails", 3.0, 0.1, AtMost(2.0))

    def control(frame):
        return finding("bad/control", 1.0, 0.1, AtMost(2.0), "control")

    def opened(frame):
        return finding("toy/open", 1.9, 0.2, AtMost(2.0))

    def broken(frame):
        return frame["excess"]

    def figure(frame):
        from matplotlib.figure import Figure

        return Figure()

    def study(name, judge, headline=False):
        return Study(
            name=name, source=f"the document of {name}", statement=f"The statement of {name}.",
            settings={"smoke": {"n": [1], "dim": 2}, "quick": {"n": [1, 2, 4], "dim": 8}},
            seeds={"smoke": 1, "quick": 2}, grid=lambda s: [{"n": n} for n in s["n"]],
            shape=lambda p: p["n"], run=run, judge=judge, figure=figure, notes="*What*",
            headline=headline,
        )

    STUDIES = (
        study("toy/holds", holds, headline=True), study("toy/open", opened),
        study("bad/fails", fails), study("bad/control", control), study("bad/broken", broken),
    )
"""
CODE = "from featlearn.cli.main import main; main()"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """A folder with an installed package of studies."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "studies_of_a_test-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: studies-of-a-test\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[featlearn.studies]\nall = studies_of_a_test\n")
    (folder / "studies_of_a_test.py").write_text(textwrap.dedent(STUDIES))
    return folder


@pytest.fixture
def place(tmp_path, monkeypatch, plugin):
    """A directory to work in, where the studies are those of the plugin alone."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.syspath_prepend(plugin)
    monkeypatch.setattr("featlearn.studies.STUDIES", ())
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names = ("JAX_ENABLE_X64", "JAX_ENABLE_COMPILATION_CACHE", "JAX_COMPILATION_CACHE_DIR",
             "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "TF_CPP_MIN_LOG_LEVEL")  # fmt: skip
    for name in names:
        monkeypatch.setenv(name, "")  # noted, so that what a command sets is taken back
        monkeypatch.delenv(name)
    config = {name.lower(): getattr(jax.config, name.lower()) for name in names[:4]}
    yield work
    for name, value in config.items():
        jax.config.update(name, value)


@pytest.fixture
def featlearn(place, capfd):
    """Runs a command in this process: `featlearn("list", "--json")`."""

    def run(*words):
        capfd.readouterr()
        code = guarded(lambda: app([*map(str, words)]))
        out, err = capfd.readouterr()
        return Ended(code, out, err)

    return run


@pytest.fixture
def start(place, plugin, tmp_path):
    """Starts a command in a process of its own."""
    started = []

    def popen(*words, **environment):
        path = os.pathsep.join([str(plugin), *filter(None, [os.environ.get("PYTHONPATH")])])
        process = subprocess.Popen(
            [sys.executable, "-c", CODE, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path, **environment},
        )
        started.append(process)
        return process

    yield popen
    for process in started:
        process.kill()
        process.communicate()
