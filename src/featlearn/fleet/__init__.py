"""Many fits as one compiled program: over seeds, samples and floating hyper-parameters."""

from featlearn.fleet._fit import Fleet, fit_many
from featlearn.fleet._map import map_members
from featlearn.fleet._memory import member_bytes
from featlearn.fleet._stream import fit_stream_many, train_many

__all__ = [
    "Fleet",
    "fit_many",
    "fit_stream_many",
    "map_members",
    "member_bytes",
    "train_many",
]
