import numpy as np
import pytest

from posewright.kernels.dense.attraction import attraction


@pytest.mark.parametrize("seed", range(6))
def test_the_gradient_is_that_of_the_potential(mixed_figure, seed):
    rng = np.random.default_rng(seed)
    n, joints = mixed_figure.n_dofs, mixed_figure.tables.joints
    q, reference, K = rng.normal(size=n), rng.normal(size=n), rng.uniform(0.0, 1.0, n)
    gradient, scratch = np.empty(n), np.empty(n)
    attraction(joints, K, q, reference, gradient)
    for d in range(n):
        up, down = q.copy(), q.copy()
        up[d] += 1e-6
        down[d] -= 1e-6
        slope = attraction(joints, K, up, reference, scratch) - attraction(joints, K, down, reference, scratch)
        assert gradient[d] == pytest.approx(slope / 2e-6, rel=1e-6, abs=1e-8)


def test_vectors_that_mean_one_rotation_are_not_apart(mixed_figure):
    joints, K = mixed_figure.tables.joints, np.ones(mixed_figure.n_dofs)
    q, gradient = np.zeros(mixed_figure.n_dofs), np.empty(mixed_figure.n_dofs)
    q[3:6] = (0.0, np.pi - 0.1, 0.0)
    other = q.copy()
    other[4] -= 2.0 * np.pi
    assert attraction(joints, K, q, other, gradient) == pytest.approx(0.0, abs=1e-20)
    assert gradient == pytest.approx(np.zeros(len(q)), abs=1e-10)
