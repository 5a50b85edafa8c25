"""The kernel machine that learns features: ridge and its average gradient outer product in turns.

    K_M(x, y) = k(√M x, √M y)                        k of `RBF` or `Laplace`;  M = I at first
    f  ←  ridge with K_M                             bandwidth and λ on validation rows
    G  ←  (1/n) Σ_i Σ_c ∇f_c(x_i) ∇f_c(x_i)ᵀ         over training rows and outputs c
    M  ←  G^power,  scaled                           and again, `rounds` times

M is scaled so that (1/n) Σ_i |√M (x_i − mean)|² = d, as in round 0: a bandwidth keeps its
meaning while M turns to the directions that f depends on. With k = φ(ρ), ρ = |x − y|²/d,

    ∇f_c(x) = √M ∇_z f_c,    ∇_z f_c(z) = Σ_i α_ic (2/d) φ'(ρ_i) (z − z_i),    z = √M x

and Σ_i w_i (z − z_i) = (Σ_i w_i) z − Σ_i w_i z_i is a product of matrices. The round whose f has
the least validation error is the fit (Radhakrishnan, Beaglehole, Pandit & Belkin 2024).
"""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigh
from featlearn.errors import InvalidInputError
from featlearn.kernels import RBF, Kernel, Laplace
from featlearn.kernels._base import with_array_leaves
from featlearn.kernels._geometry import squared_distances
from featlearn.kernels.ridge import PENALTIES, least
from featlearn.learners._dual import DualRule, check_solved, stack_kernels
from featlearn.learners._fitting import check_level, fit_checked, like_inputs
from featlearn.learners._head import check_penalties
from featlearn.learners._spectrum import strongest
from featlearn.learners._split import Rows, Split, split_rows
from featlearn.precision import double_inside
from featlearn.samples import Sample

COINCIDENT = 1e-12  # of the mean squared distance: below it two points are one, to rounding
_TINY = float(np.finfo(np.float64).tiny)
FORMS: dict[str, type[Kernel]] = {"laplace": Laplace, "gaussian": RBF}


class OuterProductFit(eqx.Module):
    """f(x) = Σ_i k(√M x, √M x_i) α_i of the best round."""

    kernel: Kernel
    root: Float[Array, "d d"]  # √M
    points: Float[Array, "n d"]  # √M x_i
    coefficients: Float[Array, "n k"]
    outer_product: Float[Array, "d d"]  # G of this f
    record: dict[str, Any]
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        z = like_inputs(x, self.root.shape[0], jnp.float64) @ self.root
        out = self.kernel.product(z, self.points, self.coefficients)
        return out[:, 0] if self.flat else out

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n d"]:
        """√M x, in which the kernel is a function of distances; level 0 is x itself."""
        check_level(level)
        x = like_inputs(x, self.root.shape[0], jnp.float64)
        return x @ self.root if level else x

    @double_inside
    def gradient(self, x: Float[Array, "n d"]) -> Float[Array, "n d k"]:
        """∇f_c(x) of each output, in closed form."""
        z = like_inputs(x, self.root.shape[0], jnp.float64) @ self.root
        slopes = gradients(with_array_leaves(self.kernel), z, self.points, self.coefficients)
        return jnp.einsum("de,nek->ndk", self.root, slopes)

    def directions(self, rank: int | None = None) -> Float[Array, "d r"]:
        """Orthonormal eigenvectors of G, the largest first.

        Their number is `rank`, or the participation ratio (Σ g)²/Σ g² of G's eigenvalues, rounded.
        """
        if rank is None:
            values = np.linalg.eigvalsh(np.asarray(self.outer_product, np.float64))
            rank = max(round(values.sum() ** 2 / max((values**2).sum(), 1e-300)), 1)
        return strongest(self.outer_product, rank)


class Round(NamedTuple):
    """One ridge fit, with the M it used and the G it gave."""

    kernel: Kernel
    root: Float[Array, "d d"]
    coefficients: Float[Array, "n k"]
    outer_product: Float[Array, "d d"]
    spectrum: Float[Array, "d"]
    record: dict[str, Any]


class GradientOuterProduct(eqx.Module):
    """Ridge and gradient outer product in turns; also called a recursive feature machine.

    rounds         how often M is replaced; the best round, 0 included, is the fit
    kernel         "gaussian" or "laplace"
    bandwidths     candidates for the bandwidth of `Laplace` or `RBF`, tuned in every round
    power          M = G^power; ½ forgets less of the weak directions
    diagonal       keep the diagonal of M alone: it then selects and scales coordinates
    penalties      candidates for λ, tuned in every round
    solver         "exact" or "cholesky", as in `KernelRidge`; gradients need the whole matrix
    """

    rounds: int = eqx.field(static=True)
    kernels: Kernel  # the candidates, stacked
    power: float | Float[Array, ""]
    diagonal: bool = eqx.field(static=True)
    rule: DualRule

    def __init__(
        self,
        rounds: int = 5,
        *,
        kernel: Literal["gaussian", "laplace"] = "gaussian",
        bandwidths: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0),
        power: float = 1.0,
        diagonal: bool = False,
        penalties: tuple[float, ...] = PENALTIES,
        solver: Literal["exact", "cholesky"] = "exact",
    ) -> None:
        if isinstance(rounds, bool) or not isinstance(rounds, int | np.integer) or rounds < 1:
            raise InvalidInputError(f"rounds must be a whole number of at least 1, got {rounds}.")
        if kernel not in FORMS:
            raise InvalidInputError(f"kernel must be 'laplace' or 'gaussian', got {kernel!r}.")
        if not 0 < power <= 2:
            raise InvalidInputError(f"power must be positive and at most 2, got {power}.")
        if solver not in ("exact", "cholesky"):
            raise InvalidInputError(f"solver must be 'exact' or 'cholesky', got {solver!r}.")
        if not isinstance(bandwidths, Iterable):
            raise InvalidInputError(
                f"bandwidths must be a tuple of positive numbers, got {bandwidths!r}."
            )
        candidates = [FORMS[kernel](float(bandwidth)) for bandwidth in bandwidths]
        self.kernels, _ = stack_kernels(candidates, "GradientOuterProduct")
        self.rounds, self.power, self.diagonal = int(rounds), float(power), bool(diagonal)
        self.rule = DualRule(check_penalties(penalties), solver)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> OuterProductFit:
        """Fit on a sample; the last fifth of its rows chooses. Nothing is drawn from `key`."""
        self.rule.check_memory(sample, "Take fewer samples.")
        fitted = fit_checked(self, sample, key)
        check_solved(fitted.record, self.rule.iterations)
        return fitted

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> OuterProductFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        split = split_rows(sample)
        x, weight = split.train.x.astype(jnp.float64), split.train.weight.astype(jnp.float64)
        covariance = _covariance(x, weight)

        def turn(matrix: Array, _: None) -> tuple[Array, Round]:
            scaled = matrix * sample.dim / jnp.maximum(jnp.sum(matrix * covariance), _TINY)
            done = self._round(scaled, split, key)
            return self._next(done.outer_product), done

        start = jnp.eye(sample.dim, dtype=jnp.float64)
        _, done = jax.lax.scan(turn, start, None, length=self.rounds + 1)
        errors = jnp.nanmin(done.record["candidate_errors"], axis=1)
        best = least(errors)
        chosen: Round = jax.tree.map(lambda leaf: leaf[best], done)
        history = {"round": best, "round_errors": errors, "spectra": done.spectrum}
        return OuterProductFit(
            kernel=chosen.kernel,
            root=chosen.root,
            points=x @ chosen.root,
            coefficients=chosen.coefficients,
            outer_product=chosen.outer_product,
            record=chosen.record | history,
            flat=sample.y.ndim == 1,
        )

    def _round(self, matrix: Float[Array, "d d"], split: Split, key: Key[Array, ""]) -> Round:
        values, vectors = eigh(matrix)
        values = jnp.maximum(values, 0.0)
        root = (vectors * jnp.sqrt(values)) @ vectors.T
        turned = Split(*(_turned(rows, root) for rows in split))
        kernel, coefficients, record = self.rule.fit(self.kernels, turned, key)
        z, weight = turned.train.x, turned.train.weight.astype(jnp.float64)
        slopes = root @ gradients(kernel, z, z, coefficients)
        product = jnp.einsum("n,ndk,nek->de", weight, slopes, slopes) / turned.train.number
        return Round(kernel, root, coefficients, product, values[::-1], record)

    def _next(self, product: Float[Array, "d d"]) -> Float[Array, "d d"]:
        """G^power, over its largest eigenvalue so that no power leaves the range of floats."""
        values, vectors = eigh(product)
        values = jnp.maximum(values, 0.0) / jnp.maximum(values[-1], _TINY)
        positive = values > 0
        raised = jnp.where(positive, jnp.where(positive, values, 1.0) ** self.power, 0.0)
        matrix = (vectors * raised) @ vectors.T
        return jnp.diag(jnp.diag(matrix)) if self.diagonal else matrix


def gradients(
    kernel: Kernel,
    z: Float[Array, "n d"],
    points: Float[Array, "m d"],
    coefficients: Float[Array, "m k"],
) -> Float[Array, "n d k"]:
    """∇_z Σ_i k(z, z_i) α_i for each output; 0 is taken for the slope of `Laplace` at z = z_i."""
    slopes = _slopes(kernel, z, points)

    def of(alpha: Float[Array, "m"]) -> Float[Array, "n d"]:
        pull = slopes * alpha
        return pull.sum(axis=1)[:, None] * z - pull @ points

    return jax.lax.map(of, coefficients.T).transpose(1, 2, 0)


def _slopes(kernel: Kernel, z: Array, points: Array) -> Float[Array, "n m"]:
    """(2/d) φ'(ρ) for each pair: −φ/(h²d), or −φ/(h d √ρ)."""
    values, squares = kernel.between(z, points), squared_distances(z, points)
    bandwidth, dim = kernel.bandwidth, z.shape[1]  # type: ignore[attr-defined]
    if isinstance(kernel, RBF):
        return -values / (bandwidth**2 * dim)
    apart = squares > COINCIDENT * jnp.mean(squares)
    return jnp.where(apart, -values / (bandwidth * dim * jnp.sqrt(jnp.where(apart, squares, 1))), 0)


def _covariance(x: Float[Array, "n d"], weight: Float[Array, "n"]) -> Float[Array, "d d"]:
    n = jnp.maximum(weight.sum(), 1.0)
    centred = x - weight @ x / n
    return (centred * weight[:, None]).T @ centred / n


def _turned(rows: Rows, root: Float[Array, "d d"]) -> Rows:
    return rows._replace(x=rows.x.astype(jnp.float64) @ root)
