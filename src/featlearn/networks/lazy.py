"""The network of the NTK theorem, in the document's own scale.

    f(W, x) = Σ_i a_i ReLU(⟨w_i, h⟩),   a_i ~ N(0, 1),   entries of every hidden layer N(0, 2/m)

h is the layer below, or x with |x| = 1. Then f is of order 1, a neuron sees numbers of order
m^(−½), the tangent kernel is of order m, and steps of order 1/m suffice: neurons move by order 1/m.
"""

from featlearn.errors import InvalidInputError
from featlearn.networks.description import Description
from featlearn.networks.layers import Dense


def ntk_network(dim: int, width: int, depth: int = 2, *, power: float = 1.0) -> Description:
    """`depth` layers of which depth − 1 are hidden, m = `width`, and one output.

    `power` is that of m in the variance 2/m^power of the first hidden layer: 1 is the theorem's
    start; a larger one starts smaller, and neurons then move farther than they start.
    """
    if depth < 2:
        raise InvalidInputError(f"A network with a hidden layer has a depth of 2 or more: {depth}.")
    first = Dense(width, "relu", variance=2.0 / width**power)
    hidden = [Dense(width, "relu", variance=2.0 / width) for _ in range(depth - 2)]
    return Description(dim, first, *hidden, Dense(1, variance=1.0))
