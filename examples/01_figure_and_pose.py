"""Build a figure, pose it, ask where its sites are and how they would move; then look at it from another root."""

import math

import numpy as np

import posewright as pw

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def main() -> None:
    lamp = pw.Figure(
        name="desk lamp",
        joints=(
            pw.figures.Joint(
                name="base", slides=pw.figures.free_slides(), rotation=(pw.figures.Hinge(axis=Y, label="turn"),)
            ),
            pw.figures.Joint(
                name="lower",
                parent="base",
                offset=(0.0, 0.05, 0.0),
                rotation=(pw.figures.Hinge(axis=X, label="lean", lower=-1.2, upper=1.2),),
            ),
            pw.figures.Joint(
                name="upper",
                parent="lower",
                offset=(0.0, 0.4, 0.0),
                rotation=(pw.figures.Hinge(axis=X, label="bend", lower=0.0, upper=2.6, rest=1.0),),
            ),
            pw.figures.Joint(name="shade", parent="upper", offset=(0.0, 0.35, 0.0), rotation=pw.figures.Ball()),
        ),
        sites=(pw.figures.Site(name="bulb", joint="shade", point=(0.0, 0.0, 0.08), x_axis=Z, tip=True),),
    )
    pose = pw.Pose.rest(lamp).with_values({"base.turn": math.radians(30.0), "lower.lean": -0.4, "shade.wx": 0.5})

    frames = pw.figures.kinematics.site_frames(lamp, pose.q, ["bulb"])
    print(f"{lamp.name}: {len(lamp.joints)} joints, {lamp.n_dofs} dofs")
    print("bulb at", np.round(frames.points[0], 3), "m, shining along", np.round(frames.x_axes[0], 3))

    jacobian = pw.figures.kinematics.site_jacobians(lamp, pose.q, ["bulb"])[0, :3]
    print("\nthe bulb moves, in metres per unit of each dof:")
    for name, column in zip(lamp.dof_names, jacobian.T, strict=True):
        print(f"  {name:12} {np.round(column, 3)}")

    hung = lamp.rerooted(root="shade")
    same = pose.converted(hung)
    print("\nhung up at its shade the lamp has the dofs", ", ".join(hung.dof_names))
    print(
        "and its bulb is still at",
        np.round(pw.figures.kinematics.site_frames(hung, same.q, ["bulb"]).points[0], 3),
        "m",
    )


if __name__ == "__main__":
    main()
