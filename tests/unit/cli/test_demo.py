"""`posewright demo`: every file that its table names is there and opens."""

import posewright as pw


def test_the_demo_makes_what_it_says(posewright, tmp_path):
    done = posewright("demo", "-o", tmp_path / "demo")
    assert done.returncode == 0, done.stderr[-2000:]
    for clip in ("walk", "run", "jump", "throw", "golf_swing"):
        for suffix in (".bvh", ".glb"):
            assert f"{clip}{suffix}" in done.stdout
            assert len(pw.load_motion(tmp_path / "demo" / f"{clip}{suffix}")) > 60
    for task in ("reach", "hands_together", "duck"):
        assert f"{task}: reached after" in done.stdout
        loaded = pw.load_task(tmp_path / "demo" / f"{task}.yaml")
        assert loaded.solver.solve(loaded.problem, loaded.start).reached
        assert (tmp_path / "demo" / f"{task}.bvh").exists()
    from PIL import Image

    for picture, frames in (("poses.png", 1), ("poster.png", 1), ("clips.png", 1), ("clips.gif", 30)):
        with Image.open(tmp_path / "demo" / picture) as image:
            assert getattr(image, "n_frames", 1) >= frames
