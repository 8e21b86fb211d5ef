"""Learn what jumps have in common, then make one of them higher by a single goal at a single frame."""

import numpy as np

import posewright as pw
from posewright.clips import jump


def main() -> None:
    person = pw.figure("human40")
    jumps = [jump(person, length=0.4 + 0.1 * k, height=0.15 + 0.02 * (k % 4), seed=k, fps=30) for k in range(10)]
    model = pw.MotionModel.fit(jumps, explained_variance=0.98)
    print(f"{len(jumps)} clips became {model.n_modes} modes")

    clip = jumps[3]
    apex = int(clip.q[:, person.dof_slice("pelvis")][:, 1].argmax())
    here = pw.figures.kinematics.site_frames(person, clip.q[apex], ["pelvis"]).points[0]
    higher = pw.Position("pelvis", here + np.array([0.0, 0.05, 0.0])).at(apex)

    inside = pw.edit(clip, [higher], space=model)  # one solve changes the whole motion, within the pattern
    print("with the model:", inside.reached, inside.errors, inside.warnings)
    alone = pw.edit(clip, [higher])  # without a model: the joints around the key frame
    print("without:", alone.reached, alone.errors, alone.warnings)
    inside.save("higher.bvh")


if __name__ == "__main__":
    main()
