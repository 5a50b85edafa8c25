"""How many spherical harmonics there are: what a kernel must pay for a degree."""

from math import comb


def harmonics(dim: int, k: int) -> int:
    """How many spherical harmonics of degree k there are in `dim` dimensions."""
    return comb(dim + k - 1, k) - (comb(dim + k - 3, k - 2) if k > 1 else 0)
