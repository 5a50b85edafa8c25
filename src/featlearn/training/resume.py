"""A long training that can be interrupted: it goes on from its last segment with the same numbers.

Segments lie between snapshots. After each, the state and the snapshots so far are written to a
file beside the checkpoint, which then takes its place: an interruption leaves the old one or the
new one. A checkpoint carries a fingerprint of what was trained, and nothing else goes on from it.
"""

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.training.train import State, Trained, Training

Advance = Callable[[Any, int, int], Any]


def train_in_segments(
    training: Training, params: Any, key: Key[Array, ""], *, checkpoint: str | Path
) -> Trained:
    """`training(params, key)`, one compiled segment after another; equal to rounding.

    Called again with the same arguments it goes on from `checkpoint`, or finds it complete.
    """
    state, first, seen = in_segments(
        lambda: training.start(params, key),
        lambda state, begin, end: _advance(
            training, state, jnp.asarray(begin, jnp.int32), jnp.asarray(end, jnp.int32)
        ),
        training.stops,
        checkpoint=checkpoint,
        name=fingerprint(training, params, key),
    )
    trajectory = None
    if training.snapshots:
        stacked = jax.tree.map(lambda *a: jnp.stack(a), *seen)
        trajectory = training.trajectory(first, stacked)
    return training.finish(state, trajectory)


def in_segments(
    start: Callable[[], State],
    advance: Advance,
    stops: tuple[int, ...],
    *,
    checkpoint: str | Path,
    name: str,
) -> tuple[State, Any, list[Any]]:
    """The last state, the first parameters, and the parameters at every stop."""
    path, state = Path(checkpoint), start()
    first = state.params
    seen: list[Any] = []
    loaded = _load(path, name, state)
    if loaded is not None:
        state, seen = loaded
    for begin, end in list(zip((0, *stops), stops, strict=False))[len(seen) :]:
        state = jax.block_until_ready(advance(state, begin, end))
        seen.append(state.params)
        _save(path, name, state, seen)
    return state, first, seen


@eqx.filter_jit
def _advance(training: Training, state: State, begin: Int[Array, ""], end: Int[Array, ""]) -> State:
    return training.advance(state, begin, end)


def fingerprint(*what: Any) -> str:
    """A name for configurations and arrays that is the same in every process."""
    leaves, form = jax.tree.flatten(what)
    digest = hashlib.sha256(_nameless(str(form)).encode())
    for leaf in leaves:
        if eqx.is_array(leaf) or isinstance(leaf, np.ndarray):
            array = _plain(leaf)
            digest.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
        else:
            digest.update(_nameless(repr(leaf)).encode())
    return digest.hexdigest()


def _nameless(text: str) -> str:
    """Without the addresses of objects, which differ from process to process."""
    return re.sub(r"0x[0-9a-fA-F]+", "", text)


def _plain(leaf: Any) -> np.ndarray:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(leaf))
    return np.asarray(leaf)


def _save(path: Path, name: str, state: State, seen: list[Any]) -> None:
    leaves = jax.tree.leaves((state, seen))
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            arrays: dict[str, Any] = {f"leaf_{i}": _plain(leaf) for i, leaf in enumerate(leaves)}
            np.savez(file, fingerprint=np.array(name), segments=np.array(len(seen)), **arrays)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InvalidInputError(
            f"The checkpoint {path} cannot be written ({error.strerror}): name a file in a "
            "folder that exists and has room."
        ) from error


def _load(path: Path, name: str, state: State) -> tuple[State, list[Any]] | None:
    if not path.exists():
        return None
    try:
        with np.load(path) as file:
            found, arrays = str(file["fingerprint"]), dict(file)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInputError(
            f"{path} is not a checkpoint of a training: name another file, or remove it."
        ) from error
    if found != name:
        raise InvalidInputError(
            f"{path} is the checkpoint of another training (its configuration, data or key "
            "differ): name another file, or remove it to start anew."
        )
    leaves, form = jax.tree.flatten((state, [state.params] * int(arrays["segments"])))
    loaded = [_as_like(arrays[f"leaf_{i}"], leaf) for i, leaf in enumerate(leaves)]
    restored: tuple[State, list[Any]] = jax.tree.unflatten(form, loaded)
    return restored


def _as_like(array: np.ndarray, leaf: Any) -> Any:
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(jnp.asarray(array))
    return jnp.asarray(array, leaf.dtype)
