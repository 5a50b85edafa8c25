"""Who is measured: the fleet, the loop, PyTorch where it is installed, and ridge."""

from collections.abc import Callable
from math import sqrt
from statistics import mean, stdev
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from work import Size

import featlearn as fl
from featlearn.kernels.ridge import PENALTIES, Moments, ridge_primal
from featlearn.precision import double_precision

Rivals = dict[str, Callable[[], Any]]
FLEET, LOOP, TORCH = "fleet", "one by one", "PyTorch"
RIDGE, RIDGE_ONE, EIGH = f"ridge, {len(PENALTIES)} λ", "ridge, 1 λ", "eigendecomposition"


class Problem(NamedTuple):
    """One task; a sample and a key for each fit."""

    task: Any
    learner: Any
    samples: list[fl.Sample]
    keys: Any


def problem(size: Size, fits: int) -> Problem:
    """The rank estimate, a diagnostic that the rival does not make, is off."""
    teacher, data, start = jax.random.split(jax.random.key(0), 3)
    target = fl.targets.single_index({2: 0.5, 4: 0.1443}, size.d, key=teacher)
    task = fl.Task(fl.inputs.Gaussian(size.d), target, noise=0.1)
    samples = [task.sample(key, size.n) for key in jax.random.split(data, fits)]
    learner = fl.learners.OneStep(size.width, estimate_rank=False)
    return Problem(task, learner, samples, jax.random.split(start, fits))


def our_rivals(given: Problem) -> Rivals:
    learner, samples, keys = given.learner, given.samples, given.keys

    def loop() -> Any:
        return [learner.fit(s, key=k) for s, k in zip(samples, keys, strict=True)]

    return {FLEET: lambda: fl.fleet.fit_many(learner, samples, keys).stacked, LOOP: loop}


def torch_rivals(given: Problem) -> Rivals:
    """PyTorch on the CPU, and on the GPU where it sees one; samples lie there beforehand."""
    import torch
    from torch_one_step import fit_all

    def on(place: str) -> Callable[[], Any]:
        draw = torch.Generator(place).manual_seed(0)
        penalties = torch.tensor(PENALTIES, dtype=torch.float64, device=place)
        data = [
            (
                torch.tensor(np.asarray(s.x), device=place),
                torch.tensor(np.asarray(s.y), dtype=torch.float64, device=place),
            )
            for s in given.samples
        ]
        return lambda: fit_all(data, given.learner.width, penalties, draw)

    places = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    return {f"{TORCH}, {place}": on(place) for place in places}


def ridge_rivals(size: Size) -> Rivals:
    """Ridge for every λ, for one λ, and an eigendecomposition, of one m × m matrix."""
    with jax.enable_x64(True):
        h = jax.nn.relu(jax.random.normal(jax.random.key(1), (2 * size.width, size.width)))
        h = h.astype(jnp.float64)
        one = jnp.ones((), jnp.float64)
        moments = Moments(h.T @ h / len(h), h.T @ h[:, :1] / len(h), one, len(h) * one)
    ridge = double_precision(jax.jit(ridge_primal, static_argnums=2))
    eigh = double_precision(jax.jit(jnp.linalg.eigh))
    return {
        RIDGE: lambda: ridge(moments, moments, PENALTIES),
        RIDGE_ONE: lambda: ridge(moments, moments, PENALTIES[:1]),
        EIGH: lambda: eigh(moments.gram),
    }


class Agreement(NamedTuple):
    """Risks of ours and of a rival on the same samples; their starts are drawn apart."""

    ours: float
    theirs: float
    difference: float
    stderr: float

    @property
    def holds(self) -> bool:
        return abs(self.difference) < 4 * self.stderr


def agreement(given: Problem, theirs: Any) -> Agreement:
    """Mean risks of the two, against noiseless labels of fresh points."""
    fleet = fl.fleet.fit_many(given.learner, given.samples, given.keys)
    x = given.task.inputs.sample(jax.random.key(2), 10_000)
    truth = np.asarray(given.task.target(x))
    points = theirs[0].weight.new_tensor(np.asarray(x))
    ours = [_risk(np.asarray(fit(x)), truth) for fit in fleet]
    rival = [_risk(fit(points).cpu().numpy(), truth) for fit in theirs]
    gaps = [b - a for a, b in zip(ours, rival, strict=True)]
    return Agreement(mean(ours), mean(rival), mean(gaps), stdev(gaps) / sqrt(len(gaps)))


def _risk(predicted: Any, truth: Any) -> float:
    return float(np.mean((predicted - truth) ** 2))
