import numpy as np
import pytest

from featlearn.testing import hermite_expansion, leap_by_search


def test_known_polynomials() -> None:
    found = hermite_expansion(lambda z: z[:, 0] ** 2 * z[:, 1] + 3.0, 2, 3)
    # z² = He_2 + 1
    assert found == pytest.approx({(0, 0): 3.0, (0, 1): 1.0, (2, 1): 1.0})
    fourth = hermite_expansion(lambda z: z[:, 0] ** 4, 1, 4)
    assert fourth == pytest.approx({(4,): 1.0, (2,): 6.0, (0,): 3.0})


def test_a_function_that_is_no_polynomial() -> None:
    # E e^{z} He_k = √e, so c_k = √e / k!
    found = hermite_expansion(lambda z: np.exp(z[:, 0]), 1, 12)
    assert found[(3,)] == pytest.approx(np.exp(0.5) / 6, rel=1e-5)


@pytest.mark.parametrize(
    ("monomials", "leap"),
    [
        ([(1, 0, 0), (1, 1, 0), (1, 1, 1)], 1),
        ([(1, 1, 1)], 3),
        ([(2,)], 2),
        ([(1, 0, 0), (1, 1, 1)], 2),
        ([(1, 0, 0), (0, 1, 1), (1, 0, 1)], 1),
        ([(0, 0)], None),
    ],
)
def test_leap_of_known_examples(monomials: list[tuple[int, ...]], leap: int | None) -> None:
    assert leap_by_search(dict.fromkeys(monomials, 1.0)) == leap
