"""Make motions without a single file: a person walks, runs, jumps, throws, reaches and swings a golf club.

Run: python examples/03_procedural_clips.py [FOLDER]. Writes one compressed array file per clip into the folder given,
or into a temporary one, and prints what each clip knows about itself.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from posewright.clips import golf_swing, jump, kick, reach, run, sit, throw, walk
from posewright.figures.catalogue import human40, norman
from posewright.figures.kinematics import centre_of_mass, site_frames


def main(folder: Path) -> None:
    person = human40()
    clips = [
        walk(person, speed=1.3, steps=6),
        run(person, steps=6),
        jump(person, length=1.0, height=0.3),
        kick(person, side="left"),
        throw(norman(), power=1.0),
        sit(person, seat_height=0.45),
        reach(person, (0.35, 0.5, 0.45)),
        golf_swing(person, slope=np.radians(5.0), style=0.5),
    ]
    for clip in clips:
        path = folder / f"{clip.name}.npz"
        np.savez_compressed(path, q=clip.q, fps=clip.fps)
        when = ", ".join(f"{event} {time:.2f} s" for event, time in list(clip.events.items())[:3])
        print(f"{clip.name:10s} {len(clip):4d} frames, {clip.duration:.2f} s   {when}")

    leap = clips[2]
    heights = centre_of_mass(leap.figure, leap.q)[:, 1]
    print(f"the jump rises {heights.max() - heights[leap.frame_of('take_off')]:.2f} m after take-off")
    swing = clips[-1]
    head = site_frames(swing.figure, swing.q, ["club_head"]).points[:, 0]
    speed = np.linalg.norm(np.diff(head, axis=0), axis=1).max() * swing.fps
    print(f"the club's head reaches {speed:.0f} m/s and meets the ball at {np.round(swing.marks['ball'], 3)}")
    print(f"written to {folder}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
