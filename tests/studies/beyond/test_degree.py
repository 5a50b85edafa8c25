"""Exponents of n*(d) from invented errors, and the energy that sets the level."""

import numpy as np
import pytest

from featlearn.studies.beyond.degree import STUDY, top_energy


def law(network=1.0, kernel=3.0):
    """Error over the level falls as n passes c·d^power."""

    def values(p, luck):
        power = network if p.learner == "ResNet" else kernel
        scale = 20 * 6 ** (1 - power) if p.learner == "ResNet" else 150 / 8**power
        share = 0.5 * (scale * p.d**power / p.n) * luck
        risk = share * p.alpha**2 * top_energy(p.d, p.p)
        return {"risk": risk, "validation": risk, "grid_edge": 0.0}

    return values


def test_what_the_documents_say_holds(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert found["p = 3, ResNet: slope of log n*(d)"].measured.value == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("wrong", [{"network": 2.0}, {"kernel": 1.0}])
def test_what_is_otherwise_is_found(wrong, invent, judged):
    assert judged(STUDY, invent(STUDY, law(**wrong))).unexpected


@pytest.mark.parametrize(("d", "p"), [(5, 3), (9, 4)])
def test_the_energy_of_the_top_part_against_draws(d, p):
    """What least squares on lower powers leaves of z^p, on the unit sphere."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200_000, d))
    z = d**0.5 * x[:, 0] / np.linalg.norm(x, axis=1)
    table = z[:, None] ** np.arange(p)
    left = z**p - table @ np.linalg.lstsq(table, z**p, rcond=None)[0]
    squares = left**2
    assert abs(squares.mean() - top_energy(d, p)) < 4 * squares.std() / len(z) ** 0.5


def test_the_energy_is_that_of_hermite_polynomials_in_high_dimension():
    assert top_energy(10**6, 3) == pytest.approx(6, rel=1e-4)
    assert top_energy(10**6, 4) == pytest.approx(24, rel=1e-4)


def test_the_figure_is_drawn(invent):
    assert STUDY.figure(invent(STUDY, law())) is not None
