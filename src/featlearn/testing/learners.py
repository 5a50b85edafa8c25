"""What every learner promises, so that studies and fleets can run it unseen."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from featlearn.errors import InvalidInputError
from featlearn.fleet import fit_many
from featlearn.learners._protocol import Fitted, Learner
from featlearn.precision import double_precision
from featlearn.samples import Sample
from featlearn.testing.bands import check_equal, require

REPEATED = 1e-6  # the same program twice; a GPU may add in another order


def check_learner(
    learner: Learner, sample: Sample, *, key: Key[Array, ""], tolerance: float = 1e-5
) -> None:
    """Check a learner on a sample of at least 20 rows.

    `fit`, a compiled `fit_arrays` and a fleet must give the same predictions up to `tolerance`
    of their largest: raise it for trainings that amplify rounding.

        check_learner(OneStep(width=16), task.sample(key, n=60), key=key)
    """
    require(isinstance(learner, Learner), "learner: no fit or no fit_arrays.")
    sample, kept = (_numpy_sample(np.array(sample.x), np.array(sample.y)) for _ in range(2))
    fitted = learner.fit(sample, key=key)
    _check_sample_kept(sample, kept)
    _check_fitted(fitted, sample)
    again = learner.fit(sample, key=key)(sample.x)
    check_equal("a second fit with the same key", again, fitted(sample.x), tolerance=REPEATED)
    compiled = _compiled_fit(learner, jax.tree.map(jnp.asarray, sample), key)
    name = "fit_arrays under jit, against fit"
    check_equal(name, compiled(sample.x), fitted(sample.x), tolerance=tolerance)
    _check_fleet(learner, sample, key, tolerance)
    _check_refusals(learner, sample, key)


def _check_sample_kept(sample: Sample, kept: Sample) -> None:
    same = np.array_equal(sample.x, kept.x) and np.array_equal(sample.y, kept.y)
    require(same, "fit: changes the arrays of its sample.")


def _check_fitted(fitted: Any, sample: Sample) -> None:
    require(isinstance(fitted, Fitted), "fitted: no call, no features or no record.")
    prediction = np.asarray(fitted(sample.x))
    require(
        prediction.shape == sample.y.shape,
        f"predictions: shape {prediction.shape} for labels of shape {sample.y.shape}.",
    )
    require(np.isfinite(prediction).all(), "predictions: NaN or infinite.")
    one = fitted(sample.x[:1])
    check_equal("the prediction of one row", one, prediction[:1], tolerance=REPEATED * 10)
    leaves, form = jax.tree.flatten(fitted)
    rebuilt = jax.tree.unflatten(form, leaves)
    check_equal("predictions rebuilt from leaves", rebuilt(sample.x), prediction, tolerance=0.0)
    require(any(eqx.is_array(leaf) for leaf in leaves), "fitted: a pytree without a single array.")
    _check_features(fitted, sample)
    _check_record(fitted.record)


def _check_features(fitted: Fitted, sample: Sample) -> None:
    level_0 = fitted.features(sample.x, level=0)
    check_equal("features at level 0, against x", level_0, sample.x, tolerance=REPEATED)
    hidden = np.asarray(fitted.features(sample.x, level=1))
    require(
        hidden.ndim == 2 and len(hidden) == len(sample.x),
        f"features at level 1: shape {hidden.shape} for x of shape {sample.x.shape}.",
    )
    require(np.isfinite(hidden).all(), "features at level 1: NaN or infinite.")


def _check_record(record: Any) -> None:
    require(isinstance(record, dict), f"record: a {type(record).__name__} instead of a dict.")
    odd = sorted(
        str(name)
        for name, value in record.items()
        if not isinstance(name, str) or not isinstance(value, jax.Array | np.ndarray | np.generic)
    )
    require(not odd, f"record: {odd} do not go from a name to an array.")


@double_precision
@eqx.filter_jit
def _compiled_fit(learner: Learner, sample: Sample, key: Key[Array, ""]) -> Fitted:
    return learner.fit_arrays(sample, key)


def _check_fleet(learner: Learner, sample: Sample, key: Key[Array, ""], tolerance: float) -> None:
    """Two members of unequal size, so that padding and validation rows are told apart."""
    short = len(sample.x) - max(len(sample.x) // 4, 1)
    samples = [sample, Sample(sample.x[:short], sample.y[:short])]
    keys = jax.random.split(key, 2)
    fleet = fit_many(learner, samples, keys)
    require(len(fleet) == 2, f"fleet: {len(fleet)} members instead of 2.")
    for i, one in enumerate(samples):
        alone = learner.fit(one, key=keys[i])(sample.x)
        name = f"member {i} of a fleet of unequal samples, against its own fit"
        check_equal(name, fleet[i](sample.x), alone, tolerance=tolerance)


def _check_refusals(learner: Learner, sample: Sample, key: Key[Array, ""]) -> None:
    x, y = np.asarray(sample.x), np.asarray(sample.y)
    bad: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "labels with a NaN": (x, _with_nan(y)),
        "inputs with a NaN": (_with_nan(x), y),
        "labels that are constant": (x, np.ones_like(y)),
        "x of one dimension": (x[:, 0], y),
        "fewer labels than rows": (x, y[:-1]),
        "a single row": (x[:1], y[:1]),
    }
    for what, given in bad.items():
        _check_refused(what, learner, _numpy_sample(*given), key)


def _check_refused(what: str, learner: Learner, sample: Sample, key: Key[Array, ""]) -> None:
    try:
        learner.fit(sample, key=key)
    except InvalidInputError:
        return
    except Exception as error:
        raise AssertionError(
            f"fit: {what} end in {type(error).__name__} instead of InvalidInputError."
        ) from error
    raise AssertionError(f"fit: {what} are accepted; refuse them with check_sample.")


def _numpy_sample(x: Any, y: Any) -> Sample:
    return Sample(x, y)


def _with_nan(array: np.ndarray) -> np.ndarray:
    array = array.astype(np.float64, copy=True)
    array[len(array) // 2] = np.nan
    return array
