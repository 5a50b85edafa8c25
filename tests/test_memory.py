"""Memory estimates: an upper bound that is close, and refusals before work starts."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from featlearn import memory
from featlearn.errors import InvalidInputError

X = jnp.zeros((100, 8), jnp.float64)  # 6 400 bytes


def test_one_array_after_another() -> None:
    """x (n, d) with its Gram matrix (n, n): 6.4 kB + 80 kB, and the sum's 8 bytes."""
    found = memory.member_bytes(lambda x: (x @ x.T).sum(), X)
    assert 86_400 <= found <= 100_000


def test_what_is_dead_is_not_counted() -> None:
    def chain(x: jax.Array) -> jax.Array:
        for _ in range(20):
            x = jnp.sin(x)
        return x

    assert memory.member_bytes(chain, X) <= 3 * 6_400


def test_what_is_alive_together_is_counted_together() -> None:
    def together(x: jax.Array) -> Any:
        return [jnp.sin(x + i) for i in range(20)]

    assert memory.member_bytes(together, X) >= 20 * 6_400


def test_loops_count_their_body_once() -> None:
    def body(carry: jax.Array, _: Any) -> tuple[jax.Array, None]:
        return carry + (carry @ carry.T).sum(), None

    found = memory.member_bytes(lambda x: jax.lax.scan(body, x, None, length=1000)[0], X)
    assert 80_000 <= found <= 200_000


def test_estimates_follow_the_size() -> None:
    def gram(x: jax.Array) -> jax.Array:
        return x @ x.T

    small, large = (memory.member_bytes(gram, jnp.zeros((n, 8))) for n in (100, 200))
    assert 3.5 < large / small < 4.5


def test_the_estimate_bounds_what_the_compiler_takes() -> None:
    def work(x: jax.Array) -> jax.Array:
        return jnp.linalg.cholesky(x @ x.T + 10 * jnp.eye(100)).sum()

    taken = jax.jit(work).lower(X).compile().memory_analysis()
    live = taken.temp_size_in_bytes + taken.argument_size_in_bytes
    assert memory.member_bytes(work, X) >= 0.9 * live


def test_a_budget_is_at_most_what_is_free() -> None:
    assert 0 < memory.device_budget() <= memory.device_bytes()
    assert memory.machine_bytes() > 2**20


def test_a_cpu_block_is_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = type("Device", (), {"platform": "cpu"})()
    monkeypatch.setattr(jax, "local_devices", lambda: [cpu])
    monkeypatch.setattr(memory, "machine_bytes", lambda: 2**40)
    assert memory.device_budget() == memory.CPU_BLOCK
    monkeypatch.setattr(memory, "machine_bytes", lambda: 1000)
    assert memory.device_budget() == 500


@pytest.mark.parametrize(("stats", "limit"), [({"bytes_limit": 4000}, 4000), (None, 2**33)])
def test_a_gpu_says_itself_what_it_has(
    stats: dict[str, int] | None, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = type("Device", (), {"platform": "gpu", "memory_stats": lambda self: stats})()
    monkeypatch.setattr(jax, "local_devices", lambda: [gpu])
    assert memory.device_bytes() == limit
    assert memory.device_budget() == limit // 2


def test_a_machine_without_meminfo(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Path) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", missing)
    assert memory.machine_bytes() > 2**20


def test_work_that_does_not_fit_is_refused() -> None:
    memory.check_memory(10, "A Gram matrix", "Take fewer points.", limit=10)
    with pytest.raises(
        InvalidInputError, match=r"A Gram matrix needs about 2 GB and 1 GB .* fewer"
    ):
        memory.check_memory(2 * 10**9, "A Gram matrix", "Take fewer points.", limit=10**9)
    with pytest.raises(InvalidInputError, match="are free"):
        memory.check_memory(10**18, "Everything", "Take less.")


@pytest.mark.parametrize(
    ("bytes_at", "budget", "expected"),
    [
        (lambda b: 100 * b, 10**6, 50),  # all of it
        (lambda b: 500 + 100 * b, 2500, 20),
        (lambda b: 100 * b, 50, 1),  # not even one: the smallest there is
        (lambda b: 100 * b**2, 10_000, 8),  # 34 by its first two blocks, then halved
    ],
)
def test_the_largest_block_that_fits(bytes_at: Any, budget: int, expected: int) -> None:
    assert memory.largest_block(bytes_at, 50, budget) == expected
