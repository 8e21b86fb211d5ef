"""A small database of human40 and goal sets for the tests of design."""

from functools import lru_cache

import numpy as np

from posewright.conventions import Array
from posewright.figure import Figure
from posewright.figure.catalogue import human40
from posewright.figure.kinematics import site_frames
from posewright.goals import PositionGoal
from posewright.models import PostureDatabase
from posewright.models.posture_distance import normalised
from posewright.motion import Motion
from posewright.motion.procedural import kick, reach, run, sit, walk

SITES = ("pelvis", "left_hand", "right_hand", "left_sole", "right_sole")
PRIORITIES = (1, 2, 2, 3, 3)


@lru_cache(maxsize=1)
def figure() -> Figure:
    return human40()


def clips(seed: int) -> list[Motion]:
    rng = np.random.default_rng(seed)
    return [
        walk(figure(), seed=seed, fps=15.0),
        run(figure(), seed=seed, fps=15.0),
        kick(figure(), seed=seed, fps=15.0),
        sit(figure(), seed=seed, seat_height=float(rng.uniform(0.4, 0.6)), fps=15.0),
        reach(figure(), rng.uniform((-0.5, 0.5, 0.3), (0.5, 1.7, 0.7)), seed=seed, fps=15.0),
    ]


@lru_cache(maxsize=1)
def database() -> PostureDatabase:
    return PostureDatabase.build([clip for seed in range(3) for clip in clips(seed)], threshold=0.03)


def empty() -> PostureDatabase:
    return PostureDatabase.build([], figure=figure())


@lru_cache(maxsize=1)
def left_out() -> Array:
    """Poses at the floor's origin that the database has not seen."""
    return normalised(figure(), np.concatenate([clip.q[::3] for clip in clips(77)]))


def goals_of(q: Array, sites: tuple[str, ...] = SITES, **settings: object) -> list[PositionGoal]:
    """The sites where a pose has them, by priority; settings for all but the hip."""
    points = site_frames(figure(), q, sites).points.tolist()
    return [
        PositionGoal(
            site, tuple(point), priority=PRIORITIES[SITES.index(site)], **({} if site == "pelvis" else settings)
        )
        for site, point in zip(sites, points, strict=True)
    ]
