"""How many members of a fleet fit the machine at once."""

import jax

from featlearn.errors import InvalidInputError
from featlearn.memory import CPU_BLOCK, device_budget, machine_bytes, member_bytes

__all__ = ["CPU_BLOCK", "block_size", "device_budget", "machine_bytes", "member_bytes"]


def block_size(bytes_each: int, members: int, budget: int | None) -> int:
    """How many members run at once; refuses a member that the machine cannot hold."""
    allowed = device_budget() if budget is None else budget
    limit = machine_bytes() if jax.default_backend() == "cpu" else 2 * device_budget()
    if budget is None and bytes_each > limit:
        raise InvalidInputError(
            f"One fit needs about {bytes_each / 1e9:.1f} GB and {limit / 1e9:.1f} GB are free. "
            "Take fewer samples, a smaller width, or a machine with more memory."
        )
    return max(1, min(members, allowed // max(bytes_each, 1)))
