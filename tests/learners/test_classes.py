"""One-hot labels, and the class of the largest output."""

import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import RBF
from featlearn.learners import KernelRidge, fit_classes, one_hot, predict_class
from featlearn.samples import Sample


def test_columns_of_zeros_and_ones():
    np.testing.assert_array_equal(one_hot([0, 2, 1]), [[1, 0, 0], [0, 0, 1], [0, 1, 0]])
    assert one_hot(np.array([0, 1], np.uint8), classes=4).shape == (2, 4)


def test_kernel_ridge_tells_three_clusters_apart(key):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 220)
    centres = np.array([[0.0, 3.0], [2.6, -1.5], [-2.6, -1.5]])
    x = (centres[labels] + rng.normal(size=(220, 2))).astype(np.float32)
    fit = KernelRidge(RBF(1.0)).fit(Sample(x[:120], one_hot(labels[:120])), key=key)
    predicted = np.asarray(predict_class(fit, x[120:]))
    nearest = np.argmin(((x[120:, None] - centres) ** 2).sum(2), axis=1)  # the best there is
    assert np.mean(predicted == nearest) > 0.93
    np.testing.assert_array_equal(predicted, np.argmax(fit(x[120:]), axis=1))


@pytest.mark.parametrize(
    "labels", [[0.0, 1.0], [[0, 1]], [], [-1, 1], [0, 0], ["a", "b"], [True, False]]
)
def test_refuses_labels_that_are_no_classes(labels):
    with pytest.raises(InvalidInputError, match="labels must"):
        one_hot(np.asarray(labels))


def test_refuses_more_classes_than_were_said():
    with pytest.raises(InvalidInputError, match="got 0 … 5 for 3 classes"):
        one_hot([0, 5], classes=3)


def test_a_class_needs_two_outputs(random_fit, other):
    single = jax.tree.map(lambda leaf: leaf, random_fit)
    assert predict_class(single, other.x).shape == (150,)
    with pytest.raises(InvalidInputError, match="at least two outputs"):
        predict_class(lambda x: np.asarray(random_fit(x))[:, 0], other.x)


def test_labels_of_any_kind_come_back_as_they_were_given(key):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 2)).astype(np.float32)
    words = np.where(x[:, 0] > 0, "right", "left")
    learner = KernelRidge(RBF(1.0), penalties=(1e-3, 1e-1))
    for labels in (words, words.astype(object), np.where(x[:, 0] > 0, 7, -3), x[:, 0] > 0):
        fit = fit_classes(learner, x, labels, key=key)
        found = fit(x)
        assert found.dtype.kind == (labels.dtype.kind if labels.dtype != object else "U")
        assert np.mean(found == labels) > 0.9
    assert fit.scores(x).shape == (60, 2)


def test_refuses_labels_without_two_classes(key):
    x, learner = np.ones((20, 2)), KernelRidge(RBF(1.0))
    with pytest.raises(InvalidInputError, match="one class has nothing to learn"):
        fit_classes(learner, x, ["a"] * 20, key=key)
    with pytest.raises(InvalidInputError, match="one for each row"):
        fit_classes(learner, x, np.ones((20, 2)), key=key)
    with pytest.raises(InvalidInputError, match=r"not numbers.*fit_classes"):
        learner.fit(Sample(x, np.array(["a", "b"] * 10)), key=key)
