"""Make a clip, save it in three formats, load each back and read what was assumed; draw it as one picture.

Run: python examples/02_files_and_pictures.py [FOLDER]. Writes into the folder given, or into a temporary one.
The picture needs `pip install 'posewright[render]'`.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import posewright as pw
from posewright.clips import jump


def main(folder: Path) -> None:
    leap = jump(pw.figure("human40"), length=1.0, height=0.3)
    print(f"{leap.name}: {len(leap)} frames at {leap.fps:g} per second, {leap.figure.n_dofs} dofs")
    hand = pw.figures.kinematics.site_frames(leap.figure, leap.q, ["left_wrist"]).points

    for suffix in (".npz", ".bvh", ".glb"):
        path = folder / f"jump{suffix}"
        leap.save(path)
        back = pw.motion(path)
        off = np.abs(pw.figures.kinematics.site_frames(back.figure, back.q, ["left_wrist"]).points - hand).max()
        print(
            f"\n{path.name}: {path.stat().st_size / 1000:.0f} kB, {back.figure.n_dofs} dofs, wrist within {off:.0e} m"
        )
        for note in (*(back.figure.source.notes if back.figure.source else ()), *back.notes):
            print(f"  assumed: {note}")

    strip = folder / "jump.png"
    film = pw.report.Film(motions=(leap,), width=640, height=240)
    pw.report.write_png(film.strip(5), strip)
    print(f"\n{strip.name}: {film.width} x {film.height} pixels, five moments of the jump")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
