"""Weights of samples: exact, damped or by distance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from posewright.kernels.postures import splicing


def weighed(C):
    C = np.array(C, dtype=np.float64)
    distances = np.linalg.norm(C, axis=1)
    order = np.argsort(distances, kind="stable")
    w = np.empty(len(C))
    return splicing.weigh(np.ascontiguousarray(C[order]), distances[order], w), w, C[order]


@pytest.mark.parametrize(("values", "samples"), [(3, 7), (6, 10), (3, 4), (12, 16), (1, 5)])
def test_weights_meet_what_is_wanted_and_sum_to_one(values, samples):
    rng = np.random.default_rng(values)
    how, w, C = weighed(rng.normal(size=(samples, values)))
    assert how == splicing.SOLVED
    assert w.sum() == pytest.approx(1.0, abs=1e-14)
    assert_allclose(C.T @ w, 0.0, atol=1e-13)
    equations = np.vstack([C.T, np.ones(samples)])
    assert_allclose(w, np.linalg.pinv(equations) @ np.append(np.zeros(values), 1.0), atol=1e-12)


def test_a_sample_that_has_the_values_is_taken_alone():
    rng = np.random.default_rng(1)
    C = rng.normal(size=(8, 3))
    C[5] = 1e-8
    how, w, _ = weighed(C)
    assert how == splicing.EXACT
    assert w.tolist() == [1.0] + [0.0] * 7


def test_copies_of_one_sample_share_its_weight():
    C = np.repeat(np.random.default_rng(2).normal(size=(2, 3)), 4, axis=0)
    how, w, _ = weighed(C)
    assert how == splicing.DAMPED
    assert np.isfinite(w).all()
    assert w.sum() == pytest.approx(1.0)


def test_fewer_samples_than_equations_are_damped():
    how, w, _ = weighed(np.random.default_rng(3).normal(size=(2, 6)))
    assert how == splicing.DAMPED
    assert w.sum() == pytest.approx(1.0)
    assert len(w) == 2


def test_one_sample_alone_is_taken():
    _, w, _ = weighed([[0.3, 0.1, 0.2]])
    assert w.tolist() == [1.0]


@pytest.mark.parametrize("seed", range(30))
def test_no_weight_extrapolates(seed):
    """What is wanted lies far outside of the samples, which nearly lie on a line."""
    rng = np.random.default_rng(seed)
    C = 1.0 + rng.normal(size=(7, 1)) * np.array([1.0, 1.0, 1.0]) * 0.01 + 1e-3 * rng.normal(size=(7, 3))
    how, w, _ = weighed(C)
    assert how != splicing.SOLVED
    assert w.min() >= -1.0
    assert w.max() <= 2.0
    assert w.sum() == pytest.approx(1.0)


def test_a_damped_answer_is_near_what_is_wanted():
    """Samples along a path, as frames of a clip are: singular equations, and yet a blend in between."""
    path = np.linspace(-0.05, 0.06, 7)[:, None] * np.array([1.0, 0.5, 0.2])
    how, w, C = weighed(path + 1e-5 * np.random.default_rng(0).normal(size=(7, 3)))
    assert how == splicing.DAMPED
    assert np.linalg.norm(C.T @ w) < 0.1 * np.linalg.norm(C[0])
