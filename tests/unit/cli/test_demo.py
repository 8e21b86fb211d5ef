"""`posewright demo`: every file that its table names is there and opens."""

import subprocess
import sys

import posewright as pw


def test_the_demo_makes_what_it_says(tmp_path):
    code = "from posewright.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "demo", "-o", str(tmp_path / "demo")],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    for clip in ("walk", "run", "jump", "throw", "golf_swing"):
        for suffix in (".bvh", ".glb"):
            assert f"{clip}{suffix}" in done.stdout
            assert len(pw.load_motion(tmp_path / "demo" / f"{clip}{suffix}")) > 60
    from PIL import Image

    for picture, frames in (("poster.png", 1), ("clips.png", 1), ("clips.gif", 30)):
        with Image.open(tmp_path / "demo" / picture) as image:
            assert getattr(image, "n_frames", 1) >= frames
