"""Resample, mirror, join and measure a motion of a small walker made on the spot."""

import numpy as np

from posewright.figures import Ball, Figure, Hinge, Joint, Site, free_slides
from posewright.motions import Motion

X = (1.0, 0.0, 0.0)


def leg(side: str, sign: float) -> list[Joint]:
    return [
        Joint(name=f"{side}_hip", parent="pelvis", offset=(0.1 * sign, 0.0, 0.0), rotation=(Hinge(axis=X),)),
        Joint(
            name=f"{side}_knee", parent=f"{side}_hip", offset=(0.0, -0.45, 0.0), rotation=(Hinge(axis=X, lower=0.0),)
        ),
        Joint(name=f"{side}_ankle", parent=f"{side}_knee", offset=(0.0, -0.45, 0.0), rotation=(Hinge(axis=X),)),
    ]


def walker() -> Figure:
    pelvis = Joint(name="pelvis", slides=free_slides((0.0, 0.9, 0.0)), rotation=Ball())
    head = Site(name="head_top", joint="pelvis", point=(0.0, 0.8, 0.0), tip=True)
    return Figure(name="walker", joints=(pelvis, *leg("left", 1.0), *leg("right", -1.0)), sites=(head,))


def stepping(figure: Figure, seconds: float = 3.0, fps: float = 120.0) -> Motion:
    """Steps with a stiff standing leg; the hips move so that the standing ankle stays where it is."""
    t = np.arange(round(seconds * fps) + 1) / fps
    stride, reach, length = 1.2, 0.3, 0.9
    q = np.zeros((len(t), figure.n_dofs))
    travelled = np.zeros(len(t))
    for side, start in (("left", 0.0), ("right", 0.5)):
        phase = (t / stride + start) % 1.0
        stance = phase < 0.5
        swing = np.where(stance, 0.0, (phase - 0.5) / 0.5)
        forward = np.where(stance, reach * (1 - 4 * phase), reach * -np.cos(np.pi * swing))  # ankle before the hip, m
        hip = -np.arcsin(forward / length)
        bend = 0.9 * np.sin(np.pi * swing) ** 2
        q[:, figure.dof_index(f"{side}_hip.rx")] = hip - 0.5 * bend
        q[:, figure.dof_index(f"{side}_knee.rx")] = bend
        q[:, figure.dof_index(f"{side}_ankle.rx")] = -hip - 0.5 * bend
        steps = np.diff(forward, prepend=forward[0])
        both = stance & np.roll(stance, 1)
        travelled += np.cumsum(np.where(both, -steps, 0.0))
        q[:, figure.dof_index("pelvis.ty")] += np.where(stance, np.sqrt(length**2 - forward**2), 0.0)
    q[:, figure.dof_index("pelvis.tz")] = travelled
    return Motion(figure, q, fps, name="stepping")


def main() -> None:
    walk = stepping(walker())
    print(f"{walk.name}: {len(walk)} frames at {walk.fps:g} per second, {walk.duration:.2f} s")

    film = walk.resampled(fps=24.0)
    print(f"at 24 per second: {len(film)} frames; with 50 frames: {walk.resampled(frames=50).fps:.2f} per second")

    for rate, motion in (("120", walk), ("24", film)):
        found = motion.contacts()
        shown = ", ".join(f"{start:.2f} to {end:.2f} s" for start, end in found.times("left_ankle"))
        print(f"left ankle stands at {rate} per second: {shown}")

    whole = walk.joined(walk.mirrored().moved((5.0, 0.0, 0.0), yaw=2.0), blend=0.3)
    print(f"walk and its mirror image joined: {len(whole)} frames")

    trembling = walk.with_q(walk.q + 0.004 * np.sin(np.arange(len(walk)) * 0.9)[:, None])
    print("\na trembling copy beside the walk it came from:")
    print(trembling.unwrapped().quality(walk))


if __name__ == "__main__":
    main()
