"""Arithmetic and bytes of one fit of `OneStep`, counted from its formulas.

n rows (n' of them train, v validate), d inputs, m neurons, l penalties; a product of matrices
(p, q) and (q, r) counts as 2pqr:

    float32   2·n'·(m/2)·d    W⁰x, of one neuron of each pair
            + 2·n'·(m/2)·d    the gradient
            + 2·n·m·d         Wx
    float64   6·n·d           linear part: estimated, removed
            + 2·d²·m + 4d³/3  spectrum of W
            + 2·n'·m²         HᵀH
            + 4m³/3           its reduction to a tridiagonal matrix
            + 2·m²·(l + 1)    rotations to it, and back for every penalty
            + 2·v·m·l         validation errors of every penalty
    bytes     4·n·d · 3       x, read for the linear part, the step and the features
            + 4·n'·m/2 · 2    gates of the step, written and read
            + 4·n·m · 2       H in float32, written and read
            + 8·m² · 4        HᵀH and its reduction, written and read
            + 8·m·l · 2       coefficients for every penalty, written and read

This is what the formulas ask for. Conversions, masks, a route with more arithmetic (a GPU takes
the whole eigendecomposition) and second passes over H are overhead, and lower the share.
"""

from typing import NamedTuple

from machine import Peak

from featlearn.kernels.ridge import PENALTIES


class Size(NamedTuple):
    d: int
    n: int
    width: int


class Work(NamedTuple):
    """Floating-point operations and bytes."""

    float32: float
    float64: float
    bytes: float


class Share(NamedTuple):
    """What was achieved, and the time at the machine's peaks over the time taken."""

    gflops: float
    of_peak: float
    gigabytes: float
    of_bandwidth: float


def work(size: Size) -> Work:
    """The table above."""
    d, n, m = size
    v, penalties = n // 5, len(PENALTIES)
    train = n - v
    spectrum = 2 * d**2 * m + 4 * d**3 / 3
    head = 2 * train * m**2 + 4 * m**3 / 3 + 2 * m**2 * (penalties + 1) + 2 * v * m * penalties
    return Work(
        float32=2 * train * m * d + 2 * n * m * d,
        float64=6 * n * d + spectrum + head,
        bytes=12 * n * d + 4 * train * m + 8 * n * m + 32 * m**2 + 16 * m * penalties,
    )


def share(needed: Work, seconds: float, peak: Peak) -> Share:
    arithmetic = needed.float32 / peak.float32 + needed.float64 / peak.float64
    return Share(
        gflops=(needed.float32 + needed.float64) / seconds / 1e9,
        of_peak=arithmetic / seconds,
        gigabytes=needed.bytes / seconds / 1e9,
        of_bandwidth=needed.bytes / peak.bytes / seconds,
    )
