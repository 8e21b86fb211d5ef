"""Carry a walk over to a figure with other proportions, look at what was kept, write a report."""

import posewright as pw
from posewright.clips import walk


def main() -> None:
    clip = walk(pw.figure("human"), steps=6)  # or pw.motion("walk.bvh")
    made = pw.retarget(clip, pw.figure("abnorman1"))  # long legs; joints are matched by themselves
    for note in made.warnings:
        print("note:", note)
    for name in ("contact drift", "foot skate", "penetration", "jerk"):
        measure = made.quality()[name]
        print(f"{name}: {measure.value:.4g} {measure.unit}, source {measure.source:.4g}")
    made.motion.save("tall_walk.glb")

    # The same frame by frame, as it arrives: what comes back is 0.1 s old.
    live = pw.Retargeter(clip.figure, pw.figure("abnorman1"), fps=clip.fps)
    poses = [live.frame(clip.pose(frame)) for frame in range(len(clip))]  # None until the delay has passed
    print(f"{sum(pose is not None for pose in poses)} of {len(clip)} frames have come back")


if __name__ == "__main__":
    main()
