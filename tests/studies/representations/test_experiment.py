"""One cell: fleets against single cells, and whose random numbers are whose."""

import equinox as eqx
import jax
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.learners import KernelRidge, OneStep
from featlearn.studies.representations import _experiment
from featlearn.studies.representations._cells import KERNELS, cell, run
from featlearn.studies.representations._experiment import Experiment, Teacher, measure_cells

NEURONS = {"outside", "overlap", "worst_cosine", "direction_1"}
ROWS = 60


def make_cell(learner="one step", n=ROWS, repetition=0, **changes):
    small = {"rows": ROWS, "width": 16, "draws": 256, **changes}
    return Cell(study="representations/test", version=1, repetition=repetition,
                parameters=cell(learner, 6, n, **small))  # fmt: skip


FLEET = [
    make_cell(),
    make_cell(n=40),
    make_cell(noise=1.0, repetition=1),
    make_cell(step=0.0, repetition=1),
]


def tables(outcomes):
    assert {outcome.state for outcome in outcomes} == {"done"}
    return [outcome.values for outcome in outcomes]


@pytest.fixture(scope="module")
def measured():
    return tables(measure_cells(FLEET))


def test_a_fleet_is_the_cells_one_by_one(measured):
    alone = [tables(measure_cells([each]))[0] for each in FLEET]
    for together, single in zip(measured, alone, strict=True):
        assert together == pytest.approx(single, rel=1e-6, abs=1e-9)


def test_the_same_seeds_give_the_same_numbers(measured):
    assert tables(run(FLEET)) == measured


def test_what_a_cell_reports(measured):
    assert set(measured[0]) == {
        *NEURONS, "risk", "risk_stderr", "l1", "excess", "grid_edge", "penalty",
        "part_0", "part_1", "part_2", "part_3", "learned_2", "learned_3",
    }  # fmt: skip
    for values in measured:
        assert 0 <= values["outside"] <= 1
        assert 0 <= values["excess"] <= values["l1"]


def test_cells_of_one_fleet_differ_in_sample_noise_and_step(measured):
    risks = [values["risk"] for values in measured]
    assert len(set(risks)) == len(risks)


def test_without_a_head_the_neurons_are_the_same_and_nothing_else_is_measured(measured):
    bare = [make_cell(n=c.parameters["n"], noise=c.parameters["noise"], step=c.parameters["step"],
                      repetition=c.repetition, head=False) for c in FLEET]  # fmt: skip
    for neurons, whole in zip(tables(measure_cells(bare)), measured, strict=True):
        assert set(neurons) == NEURONS
        assert neurons == pytest.approx({k: whole[k] for k in NEURONS}, rel=1e-5, abs=1e-7)


def test_labels_of_random_sign_change_no_other_number():
    plain, chance = (
        tables(measure_cells([make_cell(head=False, chance=chance)]))[0] for chance in (False, True)
    )
    level = chance.pop("outside_by_chance")
    assert chance == pytest.approx(plain, rel=1e-5, abs=1e-7)
    assert 0 < level < 1
    assert level != pytest.approx(plain["outside"], rel=1e-3)


def numbers(keys):
    return [np.asarray(jax.random.key_data(each)) for each in keys]


def test_keys_depend_on_the_study_the_role_and_the_repetition_alone():
    base, other, noisy, again = (
        numbers(_experiment.stacked_keys([each]))
        for each in (
            make_cell(), make_cell("pHd", n=30, width=4), make_cell(noise=2.0),
            make_cell(repetition=1),
        )
    )  # fmt: skip
    for mine, theirs, third in zip(base, other, noisy, strict=True):
        assert np.array_equal(mine, theirs)
        assert np.array_equal(mine, third)
    everything = {each.tobytes() for each in (*base, *again)}
    assert len(everything) == 2 * len(_experiment.Keys._fields)


class Spy(eqx.Module):
    """A learner that learns nothing and shows what it was given."""

    seen: list = eqx.field(static=True)

    def fit_arrays(self, sample, key):
        self.seen.append((np.asarray(sample.x), np.asarray(sample.y), int(sample.count)))


def given(rows, n, noise):
    """The real rows of the sample that a learner is given."""
    spy = Spy([])
    teacher = Teacher(((2,), (3,)), 6)
    coefficients = np.array([0.5, 12**-0.5])
    keys = jax.tree.map(lambda a: a[0], _experiment.stacked_keys([make_cell()]))
    experiment = Experiment(spy, teacher, rows=rows, draws=16, head=False, chance=False)
    assert experiment(np.int32(n), np.float64(noise), np.float64(1.0), coefficients, keys) == {}
    ((x, y, count),) = spy.seen
    assert (len(x), count) == (rows, n)
    return x[:n], y[:n]


def test_more_rows_for_another_learner_change_nobodys_sample():
    (x, y), (same_x, same_y) = given(rows=ROWS, n=20, noise=0.3), given(rows=20, n=20, noise=0.3)
    np.testing.assert_allclose(x, same_x, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(y, same_y, rtol=1e-6, atol=1e-6)


def test_more_noise_changes_only_the_size_of_the_noise():
    (x, clean), (same, little), (_, much) = (
        given(rows=20, n=20, noise=noise) for noise in (0.0, 0.5, 1.0)
    )
    assert np.array_equal(x, same)
    np.testing.assert_allclose(2 * (little - clean), much - clean, atol=1e-5)
    np.testing.assert_allclose(np.abs(much - clean), 1.0, atol=1e-5)


@pytest.mark.parametrize(
    "name",
    ["one step", "one step, rank estimated", "one step, non-symmetric", "random features",
     "pHd", "SIR", "SAVE", *KERNELS],
)  # fmt: skip
def test_every_learner_that_a_cell_names_can_be_made(name):
    learner = _experiment.make_learner(cell(name, 6, 40, width=16, form="multi", r=2))
    assert isinstance(learner, KernelRidge) == (name in KERNELS)
    changed = _experiment.with_step(learner, np.float64(0.25))
    if isinstance(learner, OneStep):
        assert float(changed.step) == 0.25
    else:
        assert changed is learner


def test_each_kernel_is_tuned_over_two_numbers_and_a_hundred_penalties():
    for name in KERNELS:
        learner = _experiment.make_learner(cell(name, 6, 40))
        assert learner.count == 2
        assert len(learner.rule.penalties) == 100


def test_a_teacher_knows_its_degrees():
    teacher = Teacher(((2, 0), (1, 2), (0, 2)), 6)
    assert (teacher.degrees, teacher.degree) == ((2, 3), 3)


def test_teachers_of_one_fleet_are_the_teachers_one_by_one():
    cells = [make_cell(), make_cell(form="hermite"), make_cell(form="hermite", noise=1.0)]
    found = tables(measure_cells(cells))
    for together, each in zip(found, cells, strict=True):
        (alone,) = tables(measure_cells([each]))
        assert set(alone) == set(together)
        assert together == pytest.approx(alone, rel=1e-4, abs=1e-6)
    assert "learned_2" in found[0]
    assert "learned_3" in found[1]
    assert "learned_2" not in found[1]
