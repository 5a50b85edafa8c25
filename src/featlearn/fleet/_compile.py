"""How much effort the compiler takes over a program."""

from functools import cache
from typing import Any, Literal

import jax

Effort = Literal["full", "little", "least"]

# Matrix products and LAPACK, which are not generated code, run as fast with any of these. A little
# effort halves the time of compiling; the least halves it again, and generated code then takes
# about four times as long.
_OPTIONS: dict[str, dict[str, Any]] = {
    "full": {},
    "little": {"xla_backend_optimization_level": 1, "xla_cpu_use_fusion_emitters": False},
    "least": {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False},
}


def compiler_options(effort: Effort) -> dict[str, Any]:
    """Options for `jax.jit`: none for full effort, on a GPU, or where jaxlib does not know one."""
    if jax.default_backend() != "cpu":
        return {}
    return {name: value for name, value in _OPTIONS[effort].items() if _known(name, value)}


@cache
def _known(name: str, value: Any) -> bool:
    try:
        jax.jit(lambda x: x, compiler_options={name: value})(0.0)
    except Exception:  # the error's class is jaxlib's own and differs between versions
        return False
    return True
