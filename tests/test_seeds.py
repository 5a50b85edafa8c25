"""Seeds are pinned: another derivation would silently change every result in a store."""

import jax
import numpy as np
import pytest

from featlearn import seeds


@pytest.mark.parametrize(
    ("names", "number"),
    [
        ((), 8203414616412130826),
        (("representations/width", "teacher", 3), 4892791470074509633),
        (("representations/width", "data", 3), 484428722782301672),
        (("hierarchy", "initialisation", 0), 9016364622968053206),
    ],
)
def test_pinned_seeds(names: tuple[object, ...], number: int) -> None:
    assert seeds.seed(*names) == number


def test_pinned_key() -> None:
    data = jax.random.key_data(seeds.key("representations/width", "teacher", 3))
    np.testing.assert_array_equal(data, [2798975917, 1569397628])


def test_a_key_is_the_same_in_a_32_bit_session() -> None:
    wide = jax.random.key_data(seeds.key("study", "data", 1))
    with jax.enable_x64(False):
        narrow = jax.random.key_data(seeds.key("study", "data", 1))
    np.testing.assert_array_equal(wide, narrow)


def test_names_do_not_run_together() -> None:
    assert seeds.seed("ab", "c") != seeds.seed("a", "bc")
    assert seeds.seed("a", 1) == seeds.seed("a", "1")
    assert seeds.seed("a") != seeds.seed("a", "")


def test_roles_and_repetitions_are_separate_streams() -> None:
    roles = ("teacher", "data", "test", "initialisation", "noise", "optimiser")
    keys = [seeds.key("study", role, i) for role in roles for i in range(5)]
    assert len({tuple(np.asarray(jax.random.key_data(k))) for k in keys}) == 30


def test_both_halves_of_the_seed_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    found = set()
    for number in (5, 5 + (1 << 31), 6):
        monkeypatch.setattr(seeds, "seed", lambda *_, number=number: number)
        found.add(tuple(np.asarray(jax.random.key_data(seeds.key("any")))))
    assert len(found) == 3
