"""The rival: the Gram matrix of a ReLU NTK by neural-tangents, in its own environment.

    python -m venv nt-env
    nt-env/bin/pip install "jax==0.4.30" "jaxlib==0.4.30" "numpy<2" "neural-tangents==0.6.5" \
        "tf2jax==0.3.6" "tensorflow-cpu<2.17"

`kernels.py` starts this file with that interpreter and a JSON argument, and asks line by line:
`run` computes the matrix and answers `done`; `save FILE` also writes it.
"""

import json
import sys

import jax
import numpy as np
from neural_tangents import stax


def kernel(depth: int, weight_variance: float, bias_variance: float):
    """`NTK` of featlearn: weights N(0, σ_w²/fan-in), biases N(0, σ_b²), ReLU after each layer."""

    def dense(width: int):
        return stax.Dense(width, W_std=weight_variance**0.5, b_std=bias_variance**0.5)

    hidden = [layer for _ in range(depth) for layer in (dense(512), stax.Relu())]
    kernel_of = stax.serial(*hidden, dense(1))[2]
    return jax.jit(lambda x: kernel_of(x, None, "ntk"))


def serve(points: str, depth: int, weight_variance: float, bias_variance: float) -> None:
    gram = kernel(depth, weight_variance, bias_variance)
    x = jax.numpy.asarray(np.load(points))
    print("ready", flush=True)
    for line in sys.stdin:
        word, *where = line.split(maxsplit=1)
        result = jax.block_until_ready(gram(x))
        if word == "save":
            np.save(where[0].strip(), np.asarray(result))
        print("done", flush=True)


if __name__ == "__main__":
    serve(**json.loads(sys.argv[1]))
