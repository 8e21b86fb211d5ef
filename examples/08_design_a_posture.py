"""Collect postures from clips, then design a key posture: hip first, then hands, then feet."""

import posewright as pw
from posewright.clips import golf_swing, reach, run, sit, walk


def main() -> None:
    person = pw.figure("human40")
    reaches = [reach(person, (x, 1.1, 0.5), side="left" if x > 0 else "right") for x in (-0.4, -0.2, 0.2, 0.4)]
    clips = [walk(person), run(person), sit(person), golf_swing(person), *reaches]
    postures = pw.Postures.build(clips, threshold=0.05)  # rad: nearer ones count as the same
    print(f"{len(postures)} postures of {postures.n_read} frames")
    postures.save("people.postures")

    goals = [
        pw.Placement("pelvis", (0.0, 0.58, -0.10), x=(1, 0, 0), y=(0, 1, 0), priority=1),
        pw.Position("left_hand", (0.17, 1.02, 0.42), priority=2),
        pw.Position("right_hand", (-0.17, 1.02, 0.42), priority=2),
        pw.Position("left_sole", (0.12, 0.10, 0.50), priority=3),
        pw.Position("right_sole", (-0.12, 0.10, 0.50), priority=3),
    ]
    made = pw.design(person, goals, postures, recruiting="limb+spine")
    print(made)  # how well it does
    print(made.describe())  # the parts of the body, and which postures each was spliced from
    made.pose.save("drive.glb")

    # Dragging the wheel: what does not depend on where goals are is done once.
    designer = pw.workflows.PostureDesigner(pw.Problem(person, goals), postures, recruiting="limb+spine")
    for lift in (0.0, 0.05, 0.1):
        moved = designer.solve({"left_hand": (0.17, 1.02 + lift, 0.42), "right_hand": (-0.17, 1.02 + lift, 0.42)})
        print(f"{lift:.2f} m higher: {moved.iterations} iterations, {1e3 * moved.seconds:.2f} ms")


if __name__ == "__main__":
    main()
