import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian
from featlearn.testing import check_inputs

KEY = jax.random.key(0)
ROOT = np.array([[1.0, 0.0, 0.0], [0.8, 0.5, 0.0], [-0.3, 0.2, 0.7]])


@pytest.mark.parametrize(
    "law",
    [
        Gaussian(3),
        Gaussian(3, mean=[1.0, -2.0, 0.5]),
        Gaussian(3, covariance=[0.5, 2.0, 0.0]),
        Gaussian(3, mean=[1.0, 0.0, 0.0], covariance=ROOT @ ROOT.T),
        Gaussian(3, covariance=np.ones((3, 3))),  # singular
    ],
    ids=["standard", "shifted", "diagonal", "full", "singular"],
)
def test_conformance(law: Gaussian) -> None:
    check_inputs(law, key=KEY)


def test_covariance_is_what_was_given() -> None:
    np.testing.assert_allclose(
        Gaussian(3, covariance=ROOT @ ROOT.T).covariance(), ROOT @ ROOT.T, atol=1e-12
    )
    np.testing.assert_allclose(
        Gaussian(3, covariance=[0.5, 2.0, 0.0]).covariance(), np.diag([0.5, 2.0, 0.0])
    )


def test_a_singular_law_stays_on_its_line() -> None:
    x = np.asarray(Gaussian(3, covariance=np.ones((3, 3))).sample(KEY, 50))
    np.testing.assert_allclose(x, x[:, :1] @ np.ones((1, 3)), atol=1e-5)


def test_which_laws_are_standard() -> None:
    assert Gaussian(3).standard
    assert Gaussian(3, mean=np.zeros(3), covariance=np.eye(3)).standard
    assert Gaussian(3, covariance=np.ones(3)).standard
    assert not Gaussian(3, mean=[0.1, 0.0, 0.0]).standard
    assert not Gaussian(3, covariance=[1.0, 1.0, 1.1]).standard
    assert not jax.jit(lambda m: jnp.asarray(Gaussian(3, mean=m).standard))(jnp.zeros(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dim": 0}, "dim must be a whole number of at least 1, got 0"),
        ({"dim": 2.5}, "got 2.5"),
        ({"dim": True}, "got True"),
        ({"dim": 3, "mean": np.zeros(2)}, r"mean must have shape \(3,\), got \(2,\)"),
        ({"dim": 2, "mean": [0.0, np.nan]}, "mean has values that are NaN"),
        ({"dim": 2, "covariance": np.ones(3)}, r"\(2, 2\) or \(2,\), got \(3,\)"),
        ({"dim": 2, "covariance": [1.0, -0.5]}, "least eigenvalue is -0.5"),
        ({"dim": 2, "covariance": [[1.0, 2.0], [2.0, 1.0]]}, "least eigenvalue is -1"),
        ({"dim": 2, "covariance": [[1.0, 0.5], [0.0, 1.0]]}, "symmetric, and differs .* by 0.5"),
        ({"dim": 2, "covariance": [np.inf, 1.0]}, "covariance has values"),
    ],
)
def test_bad_input_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Gaussian(**arguments)
