"""Seeds derive from names, so that adding a learner changes nobody's data.

    key("representations/width", "teacher", 3)

is the same key on every machine and in every version. Roles are separate streams: teacher,
data (a task splits it for inputs and label noise), start (the initialisation), test, optimiser.
"""

import hashlib

import jax
from jaxtyping import Array, Key


def seed(*names: object) -> int:
    """A 63-bit integer that depends on the names alone."""
    text = "\x1f".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def key(*names: object) -> Key[Array, ""]:
    """A JAX key that depends on the names alone."""
    number = seed(*names)
    return jax.random.fold_in(jax.random.key(number & 0x7FFFFFFF), (number >> 31) & 0x7FFFFFFF)
