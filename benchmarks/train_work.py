"""Arithmetic and bytes of one training step of a dense network of two layers, from its formulas.

n points, d inputs, m neurons in each layer; a product of matrices (p, q) and (q, r) counts 2pqr:

    forward    2·n·(2dm + m² + 2m)     W₁₀x, W₂₀x, W₂₁F₁, heads
    backward   2·n·(2dm + m²)          gradients of the three matrices
             + 2·n·m²                  back through W₂₁
    Adam       12·(2dm + m²)           two moments and the step
    bytes      4·n·(d + 1) · 2         fresh points and labels, written and read
             + 4·(2dm + m²) · 7        weights and moments read and written, the gradient once

Activations are left out: a program that keeps them on the chip need not move them. Random numbers
are not counted either; a normal draw costs about as much as 60 operations, or n·d·60 in all.
"""

from typing import NamedTuple

from machine import Peak


class TrainSize(NamedTuple):
    d: int
    n: int
    m: int


class TrainWork(NamedTuple):
    """Floating-point operations and bytes."""

    float32: float
    bytes: float


class TrainShare(NamedTuple):
    """What was achieved, and the least time at the machine's peaks over the time taken."""

    gflops: float
    of_peak: float
    of_bandwidth: float


def work(size: TrainSize) -> TrainWork:
    """The table above."""
    d, n, m = size
    weights = 2 * d * m + m**2
    return TrainWork(
        float32=2 * n * (2 * weights + m**2 + 2 * m) + 12 * weights,
        bytes=8 * n * (d + 1) + 28 * weights,
    )


def share(needed: TrainWork, seconds: float, peak: Peak) -> TrainShare:
    return TrainShare(
        gflops=needed.float32 / seconds / 1e9,
        of_peak=needed.float32 / peak.float32 / seconds,
        of_bandwidth=needed.bytes / peak.bytes / seconds,
    )
