"""Networks as descriptions: which layers there are, apart from the weights they get.

plain = Description((30,), Dense(200, "relu"), Skip(Dense(200, "relu")), Dense(15))
network = plain.draw(key)
network(x), network.preactivations(x)
plain.apply(network.trained, network.frozen, x)     a function of the weights, to be trained
gated(plain).draw(key)                              its twin whose gates stay where they start
"""

from featlearn.networks.description import Description, Network
from featlearn.networks.gates import Gate, gated
from featlearn.networks.layers import Conv, Dense, Flatten, Layer, MeanPool, Skip
from featlearn.networks.lazy import ntk_network
from featlearn.networks.parity import parity_network

__all__ = [
    "Conv",
    "Dense",
    "Description",
    "Flatten",
    "Gate",
    "Layer",
    "MeanPool",
    "Network",
    "Skip",
    "gated",
    "ntk_network",
    "parity_network",
]
