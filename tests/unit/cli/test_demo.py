"""`posewright demo`: every file that its table names is there and opens."""

import posewright as pw


def test_the_demo_makes_what_it_says(posewright, tmp_path):
    done = posewright("demo", "-o", tmp_path / "demo")
    assert done.returncode == 0, done.stderr[-2000:]
    for clip in ("walk", "run", "jump", "throw", "golf_swing"):
        for suffix in (".bvh", ".glb"):
            assert f"{clip}{suffix}" in done.stdout
            assert len(pw.motion(tmp_path / "demo" / f"{clip}{suffix}")) > 60
    for task in ("reach", "hands_together", "duck"):
        assert f"{task}: reached after" in done.stdout
        loaded = pw.tasks.load_task(tmp_path / "demo" / f"{task}.yaml")
        assert loaded.solver.solve(loaded.problem, loaded.start).reached
        assert (tmp_path / "demo" / f"{task}.bvh").exists()
    for motion in ("walk_abnorman1.glb", "walk_abnorman2.glb", "steep_swing.glb"):
        assert motion in done.stdout
        assert len(pw.motion(tmp_path / "demo" / motion)) > 60
    assert "all goals reached" in done.stdout
    assert "limits kept" in done.stdout
    assert f"posewright studio {tmp_path / 'demo' / 'walk.glb'}" in done.stdout
    assert "broken" not in done.stdout
    report = (tmp_path / "demo" / "report.html").read_text()
    for chapter in ("Clips", "Pose", "Retarget", "Edit", "Design"):
        assert f"<h2>{chapter}</h2>" in report
    from PIL import Image

    pictures = ("poses.png", "poster.png", "clips.png", "retargeted.png", "edited.png", "designed.png")
    for picture, frames in (*((picture, 1) for picture in pictures), ("clips.gif", 30)):
        with Image.open(tmp_path / "demo" / picture) as image:
            assert getattr(image, "n_frames", 1) >= frames
