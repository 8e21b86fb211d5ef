"""Inverse kinematics by sequential Monte Carlo (Courty & Arnaud 2008): the experiments of this method."""

from __future__ import annotations

from posewright.experiments.experiment import Experiment
from posewright.experiments.monte_carlo_bodies import fingertips, planted_person
from posewright.experiments.monte_carlo_chains import arm_trials, long_chain
from posewright.experiments.monte_carlo_cost import iteration_cost
from posewright.experiments.monte_carlo_success import success

EXPERIMENTS = (
    Experiment(
        id="3-A",
        title="Arm of four segments to a point: convergence, particle fan, smoothing",
        accepts="every seed arrives, iterations to 1 cm within a factor 3, smoothing lowers the jerk at least 2 times",
        run=arm_trials,
    ),
    Experiment(
        id="3-B",
        title="Chain of 90 dofs from a singular start, centre of mass over the root, smooth",
        accepts="tip within 1 % and centre of mass within 2 % of the length; a pseudo-inverse stalls on the axis",
        run=long_chain,
    ),
    Experiment(
        id="3-C",
        title="Success against particles and dofs",
        accepts="at least 99 % of the runs from 30 particles on, for 6 to 90 dofs",
        run=success,
    ),
    Experiment(
        id="3-D",
        title="Time per iteration against dofs",
        accepts="the filter is linear (slope at most 1.1), finite-difference methods are not (at least 1.7)",
        run=iteration_cost,
    ),
    Experiment(
        id="3-E",
        title="Person with planted feet, a target for each hand",
        accepts="hands within 1 % of the height, feet within the band in every frame, knees bent more than 10 degrees",
        run=planted_person,
    ),
    Experiment(
        id="3-F",
        title="Hand: a target per finger tip, two sets in sequence, coupled joints",
        accepts="tips within 0.5 % of the hand, coupling within 2 degrees, no leap through the switch",
        run=fingertips,
    ),
)
