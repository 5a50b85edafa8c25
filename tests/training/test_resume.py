"""Interrupted equals uninterrupted, and nobody goes on from a foreign checkpoint."""

import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.training import Optimiser, Training, fingerprint, resume, train_in_segments

KEY = jax.random.key(11)


@pytest.fixture
def training(regression):
    loss, source, _ = regression
    return Training(loss, source, Optimiser("adam", rate=1e-2), 24, snapshots=(0, 5, 14))


def same(one, other):
    jax.tree.map(np.testing.assert_array_equal, one, other)


class StopHereError(Exception):
    pass


def test_an_interrupted_training_goes_on_with_the_same_numbers(
    training, regression, tmp_path, monkeypatch
):
    params, advance, taken = regression[2](), resume._advance, []
    whole = train_in_segments(training, params, KEY, checkpoint=tmp_path / "whole")

    def interrupted(training, state, begin, end):
        if len(taken) == 2:
            raise StopHereError
        taken.append(int(begin))
        return advance(training, state, begin, end)

    monkeypatch.setattr(resume, "_advance", interrupted)
    with pytest.raises(StopHereError):
        train_in_segments(training, params, KEY, checkpoint=tmp_path / "file")
    taken.clear()
    gone_on = train_in_segments(training, params, KEY, checkpoint=tmp_path / "file")
    assert taken == [14]
    same(gone_on, whole)
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


def test_segments_equal_one_program(training, regression, tmp_path):
    params = regression[2]()
    segments = train_in_segments(training, params, KEY, checkpoint=tmp_path / "file")
    whole = jax.jit(lambda p, k: training(p, k))(params, KEY)
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), segments, whole
    )


def test_a_checkpoint_of_another_training_is_refused(training, regression, tmp_path):
    params, path = regression[2](), tmp_path / "file"
    train_in_segments(training, params, KEY, checkpoint=path)
    with pytest.raises(InvalidInputError, match="is the checkpoint of another training"):
        train_in_segments(training, params, jax.random.key(12), checkpoint=path)
    with pytest.raises(InvalidInputError, match="is the checkpoint of another training"):
        train_in_segments(training, regression[2](1), KEY, checkpoint=path)


def test_a_file_that_is_no_checkpoint_is_refused(training, regression, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not this")
    with pytest.raises(InvalidInputError, match="is not a checkpoint of a training"):
        train_in_segments(training, regression[2](), KEY, checkpoint=path)
    assert path.read_text() == "not this"


def test_a_folder_that_does_not_exist_is_named(training, regression, tmp_path):
    path = tmp_path / "nowhere" / "file"
    with pytest.raises(InvalidInputError, match=r"cannot be written \(No such file"):
        train_in_segments(training, regression[2](), KEY, checkpoint=path)


def test_fingerprints_tell_numbers_apart_and_not_addresses(training):
    assert fingerprint(training) == fingerprint(training)
    other = Training(
        training.loss, training.source, Optimiser("adam", rate=2e-2), 24, snapshots=(0, 5, 14)
    )
    assert fingerprint(training) != fingerprint(other)
