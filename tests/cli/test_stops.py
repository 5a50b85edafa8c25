"""Signals: heard while cells are computed, even where other code catches everything."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from featlearn.cli._stops import Stopped, kept_in, stoppable


def test_a_signal_becomes_an_exception_that_says_what_is_kept():
    with pytest.raises(Stopped) as caught, kept_in(Path("x.sqlite")):
        os.kill(os.getpid(), signal.SIGTERM)
    assert caught.value.code == 143
    assert "kept in x.sqlite" in caught.value.sentence


def swallow_a_signal():
    with contextlib.suppress(BaseException):
        os.kill(os.getpid(), signal.SIGINT)


def test_one_that_was_caught_on_the_way_is_raised_at_the_end():
    with pytest.raises(Stopped) as caught, kept_in(Path("x.sqlite")):
        swallow_a_signal()
    assert caught.value.code == 130


def test_a_second_signal_is_not_held_up():
    def look():
        swallow_a_signal()
        return signal.getsignal(signal.SIGINT)

    seen = []
    with pytest.raises(Stopped), kept_in(Path("x.sqlite")):
        seen.append(look())
    assert seen == [signal.SIG_DFL]


def test_handlers_are_given_back():
    before = signal.getsignal(signal.SIGINT)
    with stoppable():
        outer = signal.getsignal(signal.SIGINT)
        with kept_in(Path("x.sqlite")):
            assert signal.getsignal(signal.SIGINT) is not outer
        assert signal.getsignal(signal.SIGINT) is outer is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_what_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with stoppable(), kept_in(Path("x.sqlite")):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_at_other_times_a_signal_ends_the_process_with_one_word():
    code = (
        "import os, signal; from featlearn.cli._stops import stoppable\n"
        "with stoppable(): os.kill(os.getpid(), signal.SIGTERM)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (143, "featlearn: Stopped.\n")
