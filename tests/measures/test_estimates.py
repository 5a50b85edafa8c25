import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian
from featlearn.measures.estimates import BLOCK_ROWS, estimate, over_draws, ratio_estimate

KEY = jax.random.key(0)


def test_estimate_is_the_mean_with_its_standard_error() -> None:
    values = np.random.default_rng(0).normal(size=50)
    found = estimate(jnp.asarray(values))
    assert float(found.value) == pytest.approx(values.mean())
    assert float(found.stderr) == pytest.approx((values.var() * 50 / 49 / 50) ** 0.5)
    assert int(found.n) == 50


def test_standard_error_of_a_ratio_is_that_of_its_scatter() -> None:
    """500 repetitions of strongly paired draws: z-scores have spread 1."""
    generator = np.random.default_rng(1)
    below = 1 + 0.3 * generator.normal(size=(500, 400))
    above = 2 * below + 0.1 * generator.normal(size=(500, 400))
    found = jax.jit(jax.vmap(ratio_estimate))(jnp.asarray(above), jnp.asarray(below))
    z = (np.asarray(found.value) - 2) / np.asarray(found.stderr)
    assert abs(z.std() - 1) < 4 / (2 * 500) ** 0.5
    assert abs(z.mean()) < 4 / 500**0.5
    relative = above.var(1) / above.mean(1) ** 2 + below.var(1) / below.mean(1) ** 2
    unpaired = (np.asarray(found.value) - 2) / (2 * (relative / 400) ** 0.5)
    assert abs(unpaired.std() - 1) > 4 / (2 * 500) ** 0.5


def test_over_draws_is_the_function_at_the_blocks_of_its_key() -> None:
    n, law = BLOCK_ROWS + 5, Gaussian(2)
    x, squares = over_draws(lambda x: (x, (x**2).sum(1)), law, KEY, n)
    first, second = jax.random.split(KEY, 2)
    expected = jnp.concatenate([law.sample(first, BLOCK_ROWS), law.sample(second, BLOCK_ROWS)[:5]])
    assert x.shape == (n, 2)
    assert np.array_equal(x, expected)
    np.testing.assert_allclose(squares, (expected**2).sum(1), rtol=1e-6)


def test_few_draws_make_one_block_of_their_number() -> None:
    x = over_draws(lambda x: x, Gaussian(2), KEY, 7)
    assert np.array_equal(x, Gaussian(2).sample(jax.random.split(KEY, 1)[0], 7))


@pytest.mark.parametrize("n", [0, 1])
def test_one_draw_has_no_standard_error(n) -> None:
    with pytest.raises(InvalidInputError, match=f"got {n}"):
        over_draws(lambda x: x, Gaussian(2), KEY, n)
