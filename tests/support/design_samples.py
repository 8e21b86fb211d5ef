"""A small database of human40 and goal sets for the tests of design."""

from functools import lru_cache

import numpy as np

from posewright.clips import kick, reach, run, sit, walk
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.catalogue import human40
from posewright.figures.kinematics import site_frames
from posewright.goals import Position
from posewright.models import Postures
from posewright.models.postures.distance import normalised
from posewright.motions import Motion

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
def database() -> Postures:
    return Postures.build([clip for seed in range(3) for clip in clips(seed)], threshold=0.03)


def empty() -> Postures:
    return Postures.build([], figure=figure())


@lru_cache(maxsize=1)
def left_out() -> Array:
    """Poses at the floor's origin that the database has not seen."""
    return normalised(figure(), np.concatenate([clip.q[::3] for clip in clips(77)]))


def goals_of(q: Array, sites: tuple[str, ...] = SITES, **settings: object) -> list[Position]:
    """The sites where a pose has them, by priority; settings for all but the hip."""
    points = site_frames(figure(), q, sites).points.tolist()
    return [
        Position(site, tuple(point), priority=PRIORITIES[SITES.index(site)], **({} if site == "pelvis" else settings))
        for site, point in zip(sites, points, strict=True)
    ]
