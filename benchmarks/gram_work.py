"""Arithmetic and bytes of K(x, x) of a ReLU NTK in float32, counted from its formulas.

n points in d dimensions, L hidden layers; every pair i ≥ j once:

    float64   2d + 4      ⟨x_i, y_j⟩, and γ_0 from it
    float32   2 + 49 L    each layer: two polynomials of 7 and 6 multiplications and additions (26),
                          a root (1), their use (3), σ_w² E 1[u>0] 1[v>0] (3), γ of the next
                          layer (11), Σ (3) and Θ (2)
    bytes     4           the result, written; for all n² entries
            + 8 d         x, read; for the n points

What each point brings alone, copies of tiles and second passes over them are overhead, and lower
the share.
"""

from typing import NamedTuple

from machine import Peak


class GramSize(NamedTuple):
    n: int
    d: int
    depth: int


class GramWork(NamedTuple):
    """Floating-point operations and bytes."""

    float32: float
    float64: float
    bytes: float


class GramShare(NamedTuple):
    """What was achieved, and the time at the machine's peaks over the time taken."""

    gflops: float
    of_peak: float
    gigabytes: float
    of_bandwidth: float


def work(size: GramSize) -> GramWork:
    """The table above."""
    pairs = size.n * (size.n + 1) / 2
    return GramWork(
        float32=pairs * (2 + 49 * size.depth),
        float64=pairs * (2 * size.d + 4),
        bytes=4 * size.n**2 + 8 * size.n * size.d,
    )


def share(needed: GramWork, seconds: float, peak: Peak) -> GramShare:
    arithmetic = needed.float32 / peak.float32 + needed.float64 / peak.float64
    return GramShare(
        gflops=(needed.float32 + needed.float64) / seconds / 1e9,
        of_peak=arithmetic / seconds,
        gigabytes=needed.bytes / seconds / 1e9,
        of_bandwidth=needed.bytes / peak.bytes / seconds,
    )
