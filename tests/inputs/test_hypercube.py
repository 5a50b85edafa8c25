import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Hypercube
from featlearn.testing import check_inputs

KEY = jax.random.key(0)


def test_conformance() -> None:
    check_inputs(Hypercube(3), key=KEY)


def test_coordinates_are_independent_signs() -> None:
    x = np.asarray(Hypercube(4).sample(KEY, 10_000))
    assert set(np.unique(x)) == {-1.0, 1.0}
    parity = x.prod(axis=1)  # uncorrelated signs need not be independent: products tell
    assert abs(parity.mean()) < 4 / 100
    assert abs((x[:, 0] * x[:, 1] * x[:, 2]).mean()) < 4 / 100


def test_it_is_no_gaussian() -> None:
    assert not Hypercube(4).standard
    assert Hypercube(4).gaussian_parts() == ()


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"dim must be .* got -1"):
        Hypercube(-1)
