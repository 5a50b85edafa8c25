"""Commands as processes: quick to start, stopped in any way, and two at once."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from featlearn.store import Store


def wait_for_cells(note, count, seconds=60):
    """Until the study has begun that many cells."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if note.exists() and len(note.read_text().splitlines()) >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f"fewer than {count} cells were begun in {seconds} s")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_stopped_run_goes_on_and_repeats_nothing_that_was_complete(
    start, featlearn, place, monkeypatch, number, code
):
    note = place / "note"
    process = start("run", "toy/holds", NOTE=str(note), SLOW="0.3")
    wait_for_cells(note, 3)  # the first fleet of two is complete, the second has begun
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code
    if code > 0:
        assert err.splitlines()[-1] == (
            "featlearn: Stopped. What is complete is kept in featlearn.sqlite; "
            "the same command goes on from there."
        )
        assert "Traceback" not in err
    monkeypatch.setenv("NOTE", str(note))
    ended = featlearn("run", "toy/holds")
    assert ended.out == "toy/holds: 6 cells, 4 of them computed now.\n"
    begun = Counter(note.read_text().splitlines())
    assert {cell: count for cell, count in begun.items() if count > 1} == {
        "toy/holds 2 0": 2,
        "toy/holds 2 1": 2,
    }


def test_two_processes_share_a_store(start, place):
    note = place / "note"
    both = [start("run", "toy", "--seeds", 8, NOTE=str(note), SLOW="0.1") for _ in range(2)]
    told = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    begun = Counter(note.read_text().splitlines())
    assert len(begun) == 2 * 3 * 8
    with Store(place / "featlearn.sqlite", read_only=True) as store:
        rows = [row for plan in store.plans() for row in store.cells(plan.cells)]
    assert len(rows) == len(begun)
    assert {row.state for row in rows} == {"done"}


def test_a_reader_who_leaves_is_no_error(place, plugin):
    code = (
        f"import sys; sys.path.insert(0, {str(plugin)!r});"
        "from featlearn.cli.main import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=30) == 141
    process.stderr.close()


def test_a_terminal_that_knows_ascii_alone(start):
    process = start("verify", "toy/holds", PYTHONIOENCODING="ascii")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (0, False)
    assert "? 2" in out
    out, _ = start("run", "toy/holds", "--json", PYTHONIOENCODING="ascii").communicate(timeout=60)
    assert json.loads(out)["studies"][0]["findings"][0]["predicted"] == "≤ 2"


def test_what_only_reads_loads_no_jax(place):
    Store("featlearn.sqlite").close()
    code = (
        "import sys; from featlearn.cli.app import app\n"
        "for words in (['list'], ['status', '--json'], ['verify', '--help']):\n"
        "    try: app(words)\n"
        "    except (SystemExit, Exception): pass\n"
        "print(sorted({'jax', 'pandas', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
