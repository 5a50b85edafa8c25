"""Training by gradient descent, of anything: parameters, a loss, a source of batches.

    trained = train(loss, params, Fresh(task, 1000), Optimiser("adam", rate=1e-3),
                    steps=8000, key=key, snapshots=log_steps(8000))
    trained.params, trained.at(500), trained.record["loss"]

This room knows no learner and no target.
"""

from featlearn.training.batches import Epochs, Fresh, Source, check_batch, shuffled
from featlearn.training.losses import cross_entropy, half_square, mean_over, square
from featlearn.training.optimiser import Moments, Optimiser
from featlearn.training.resume import fingerprint, train_in_segments
from featlearn.training.train import (
    State,
    Trained,
    Training,
    log_steps,
    multipliers,
    snapshot_index,
    train,
)

__all__ = [
    "Epochs",
    "Fresh",
    "Moments",
    "Optimiser",
    "Source",
    "State",
    "Trained",
    "Training",
    "check_batch",
    "cross_entropy",
    "fingerprint",
    "half_square",
    "log_steps",
    "mean_over",
    "multipliers",
    "shuffled",
    "snapshot_index",
    "square",
    "train",
    "train_in_segments",
]
