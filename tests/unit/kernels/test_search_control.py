"""When a search goes on, goes back and ends, by the costs that it meets."""

import numpy as np
import pytest

from posewright.kernels.dense.search_control import (
    AGAIN,
    BEST,
    DONE,
    INTERRUPTED,
    OUT_OF_ITERATIONS,
    REACHED,
    SAVED,
    SETTINGS,
    STATE,
    STATIONARY,
    STEP,
    begin,
    judge,
)


class Search:
    """A search over one coordinate whose costs are said one after another."""

    def __init__(self, **settings: float) -> None:
        self.settings, self.state = np.zeros(1, SETTINGS)[0], np.zeros(1, STATE)[0]
        usual = {"max_iterations": 50, "damping": 1.0, "settled": 1e-3}
        for name, value in (usual | settings).items():
            self.settings[name] = value
        self.x, self.places, self.stop = np.zeros(1), np.zeros((5, 1)), np.zeros(1, np.int8)
        begin(self.settings, self.state)

    def meet(self, cost: float, x: float = 0.0, *, reached: bool = False, tried: bool = False) -> int:
        self.x[0] = x
        if tried:
            self.state["trial"] = 1
        return int(judge(self.settings, self.state, cost, reached, self.stop, self.x, self.places))

    @property
    def why(self) -> int:
        return int(self.state["why"])


def test_a_search_ends_where_all_goals_are_reached_unless_it_minimises():
    search = Search()
    assert search.meet(3.0) == STEP
    assert search.meet(1.0, reached=True) == DONE
    assert search.why == REACHED
    assert Search(minimising=1).meet(1.0, reached=True) == STEP


def test_steps_that_gain_little_twice_in_a_row_are_the_last():
    search = Search(minimising=1)
    costs = [10.0, 9.995, 5.0, 4.998, 4.996]
    found = [search.meet(cost, tried=k > 0) for k, cost in enumerate(costs)]
    assert found == [STEP, STEP, STEP, STEP, DONE]
    assert search.why == STATIONARY


def test_a_step_that_does_not_gain_is_undone_and_the_next_is_shorter():
    search = Search(minimising=1)
    search.meet(10.0, 1.0)
    guard, search.places[SAVED] = float(search.state["guard"]), 1.0
    assert search.meet(11.0, 2.0, tried=True) == AGAIN
    assert search.x[0] == 1.0
    assert search.state["guard"] == pytest.approx(8.0 * guard)
    assert search.meet(10.0, 1.0) == STEP
    assert search.meet(9.0, 1.5, tried=True) == STEP
    assert search.state["guard"] == pytest.approx(0.3 * 8.0 * guard)


def test_what_is_out_of_iterations_or_interrupted_ends_at_its_best_point():
    for why, settings in ((OUT_OF_ITERATIONS, {"max_iterations": 2}), (INTERRUPTED, {})):
        search = Search(**settings)
        search.meet(1.0, 5.0)
        search.state["iterations"] = 2
        search.stop[0] = why == INTERRUPTED
        assert search.meet(2.0, 6.0) == AGAIN
        assert (search.x[0], search.places[BEST, 0], search.why) == (5.0, 5.0, why)
        assert search.meet(1.0, 5.0) == DONE


def test_a_search_that_is_slow_begins_again_elsewhere_or_settles_at_its_best():
    search = Search()
    found = [search.meet(cost, cost) for cost in (10.0, 9.0, 8.0, 7.5, 7.4)]
    assert found == [STEP, STEP, STEP, STEP, AGAIN]
    assert (search.state["settling"], search.x[0]) == (1, 7.4)
    again = Search(restarts=1, seed=3)
    again.places[3], again.places[4] = -1.0, 1.0
    for cost in (10.0, 9.0, 8.0, 7.5, 7.4):
        again.meet(cost, cost)
    assert again.state["restarts"] == 1
    assert again.state["settling"] == 0
    assert abs(again.x[0]) <= 1.0
