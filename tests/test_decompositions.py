"""Decompositions equal NumPy's, alone and in a fleet, and no fleet waits for itself for ever."""

import ast
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import featlearn
from featlearn import decompositions

SOURCE = Path(featlearn.__file__).parent
RNG = np.random.default_rng(0)
TALL = RNG.normal(size=(4, 7, 5))
SYMMETRIC = np.einsum("bij,bik->bjk", TALL, TALL)


def rebuilt_spectrum(matrix):
    values, vectors = decompositions.eigh(matrix)
    return (vectors * values) @ vectors.T, vectors.T @ vectors, values


def rebuilt_qr(matrix):
    q, r = decompositions.qr(matrix)
    return q @ r, q.T @ q, abs(r)


def rebuilt_svd(matrix):
    left, values, right = decompositions.svd(matrix)
    return (left * values) @ right, left.T @ left, values


def svd_by_numpy(matrix):
    return matrix, np.eye(5), np.linalg.svd(matrix, compute_uv=False)


def spectrum_by_numpy(matrix):
    return matrix, np.eye(5), np.linalg.eigvalsh(matrix)


def qr_by_numpy(matrix):
    return matrix, np.eye(5), abs(np.linalg.qr(matrix)[1])


CASES = {
    "eigh": (rebuilt_spectrum, spectrum_by_numpy, SYMMETRIC),
    "eigvalsh": (decompositions.eigvalsh, np.linalg.eigvalsh, SYMMETRIC),
    "singular_values": (
        decompositions.singular_values,
        lambda m: np.linalg.svd(m, compute_uv=False),
        TALL,
    ),
    "svd": (rebuilt_svd, svd_by_numpy, TALL),
    "qr": (rebuilt_qr, qr_by_numpy, TALL),
    "inverse": (decompositions.inverse, np.linalg.inv, SYMMETRIC),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_numpy_alone_and_in_a_fleet(name):
    ours, numpys, matrices = CASES[name]
    fleet = jax.jit(jax.vmap(ours))(matrices)
    for i, matrix in enumerate(matrices):
        wanted = numpys(matrix)
        for got in (ours(matrix), jax.tree.map(lambda leaf, i=i: leaf[i], fleet)):
            jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-9), got, wanted)


def test_every_decomposition_has_a_case():
    tree = ast.parse(Path(decompositions.__file__).read_text())
    names = {f.name for f in tree.body if isinstance(f, ast.FunctionDef)} - {"one_by_one"}
    assert names == set(CASES)


def test_a_fleet_on_a_cpu_hands_over_one_matrix_at_a_time():
    if jax.default_backend() != "cpu":
        pytest.skip("a GPU decomposes a batch at once")
    program = str(jax.make_jaxpr(jax.vmap(decompositions.eigvalsh))(SYMMETRIC))
    assert "f64[5,5]" in program
    batched = str(jax.make_jaxpr(jax.vmap(jax.numpy.linalg.eigvalsh))(SYMMETRIC))
    assert "eigh[" in batched
    assert "scan[" in program
    assert "scan[" not in batched


FLEET = """
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_most_optimizations", True)
from featlearn.fleet import fit_many
from featlearn.kernels import RBF
from featlearn.learners import KernelRidge
from featlearn.samples import Sample

rng = np.random.default_rng(0)
samples = [Sample(x := rng.normal(size=(600, 5)), x[:, 0] ** 2) for _ in range(4)]
learner = KernelRidge([RBF(0.5), RBF(1.0)], penalties=(1e-3, 1e-2, 1e-1))
for repeat in range(3):
    keys = jax.random.split(jax.random.key(repeat), 4)
    fleet = fit_many(learner, samples, keys, block=4)
    assert np.isfinite(fleet.stacked.record["validation"]).all()
print("done")
"""


def test_a_fleet_of_kernel_ridges_ends():
    """With batched LAPACK calls it hangs on two threads: each waits for the other's."""
    run = [sys.executable, "-c", FLEET]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "done", done.stderr[-2000:]


LAPACK = ("jax.numpy.linalg.", "jax.lax.linalg.", "jax.scipy.linalg.")
HARMLESS = {"norm", "vector_norm", "multi_dot"}
HIDDEN = {
    "jax.numpy.roots",
    "jax.numpy.polyfit",
    "jax.random.orthogonal",
    "jax.random.multivariate_normal",
    "jax.nn.initializers.orthogonal",
}


def batched_calls(source):
    """Names from LAPACK used outside a function under `one_by_one`."""
    tree = ast.parse(source)
    names = imported(tree)
    safe = {
        id(inner)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and any(isinstance(d, ast.Name) and d.id == "one_by_one" for d in function.decorator_list)
        for inner in ast.walk(function)
    }
    used = {
        dotted(node, names)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in safe
    }
    return sorted(name for name in used if name and dangerous(name))


def imported(tree):
    """What each imported name stands for."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                top = item.name.split(".")[0]
                found[item.asname or top] = item.name if item.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module:
            for item in node.names:
                found[item.asname or item.name] = f"{node.module}.{item.name}"
    return found


def dotted(node, names):
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    before = dotted(node.value, names)
    return before and f"{before}.{node.attr}"


def dangerous(name):
    return name in HIDDEN or (name.startswith(LAPACK) and name.split(".")[-1] not in HARMLESS)


@pytest.mark.parametrize(
    "source",
    [
        "import jax.numpy as jnp\ndef f(a):\n    return jnp.linalg.eigh(a)",
        "import jax\ng = jax.vmap(jax.numpy.linalg.inv)",
        "from jax import lax\ndef f(a):\n    return lax.linalg.cholesky(a)",
        "from jax.lax import linalg as la\ndef f(a):\n    return la.qr(a)",
        "from jax.numpy.linalg import svd\ndef f(a):\n    return svd(a)",
        "import jax.scipy.linalg as s\ndef f(a):\n    return s.solve_triangular(a, a)",
        "import jax\ndef f(key):\n    return jax.random.orthogonal(key, 3)",
    ],
)
def test_the_search_finds_batched_calls(source):
    assert len(batched_calls(source)) == 1


def test_the_search_leaves_safe_calls_alone():
    safe = (
        "import numpy as np\nimport jax.numpy as jnp\nfrom featlearn.decompositions import *\n"
        "@one_by_one\ndef f(a):\n    return jnp.linalg.eigh(a)\n"
        "def g(a):\n    return np.linalg.qr(a), jnp.linalg.norm(a)"
    )
    assert batched_calls(safe) == []


def test_nothing_decomposes_a_batch_but_one_by_one():
    found = {
        str(path.relative_to(SOURCE)): calls
        for path in SOURCE.rglob("*.py")
        if (calls := batched_calls(path.read_text()))
    }
    assert found == {}, "go through featlearn.decompositions"
