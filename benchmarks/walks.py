"""Which files a job passes through, in order: a pose, a task, an edit in a model, a retarget with a report.

    python benchmarks/walks.py            # counts
    python benchmarks/walks.py pose       # the list of one

Files in which a Python function runs, seen the second time, when kernels are loaded; compiled kernels call each other
unseen.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import posewright as pw
from posewright.cli import main as command

SOURCE = Path(pw.__file__).parent
HUMAN = pw.figure("human40")
TASK = Path(__file__).parents[1] / "examples" / "tasks" / "reach_and_look.yaml"


def pose(folder: Path) -> None:
    problem = pw.Problem(HUMAN, [pw.Position("right_hand", (-0.35, 1.4, 0.45))])
    print(pw.LeastSquares().solve(problem))


def task(folder: Path) -> None:
    run("pose", str(TASK), "-o", str(folder / "reach.png"))


def edit(folder: Path) -> None:
    run(
        "edit",
        str(folder / "jump.npz"),
        str(folder / "edit.yaml"),
        "--model",
        str(folder / "jumps.model.npz"),
        "-o",
        str(folder / "edited.npz"),
    )


def retarget(folder: Path) -> None:
    run(
        "retarget",
        str(folder / "walk.bvh"),
        "--to",
        str(folder / "character.glb"),
        "-o",
        str(folder / "walking.glb"),
        "--report",
        str(folder / "out.html"),
    )


def run(*words: str) -> None:
    sys.argv = ["posewright", *words]
    try:
        command()
    except SystemExit as end:
        if end.code not in (None, 0, 1):  # 1: goals missed, or a limit broken
            raise


def prepare(folder: Path) -> None:
    pw.clips.walk(HUMAN, steps=2).save(folder / "walk.bvh")
    pw.figure("abnorman1").save(folder / "character.glb")
    jumps = [pw.clips.jump(HUMAN, height=0.1 + 0.05 * k) for k in range(4)]
    for k, clip in enumerate(jumps):
        clip.save(folder / f"{k}.npz")
    jumps[1].save(folder / "jump.npz")
    run("model", "fit", *(str(folder / f"{k}.npz") for k in range(4)), "-o", str(folder / "jumps.model.npz"))
    (folder / "edit.yaml").write_text("keys:\n  - {frame: 14, goal: {kind: move, site: pelvis, by: [0, 0.03, 0]}}\n")


def walked(job: Callable[[Path], None], folder: Path) -> list[str]:
    seen: dict[str, None] = {}

    def watch(frame, event, _):  # type: ignore[no-untyped-def]
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(str(SOURCE)) and frame.f_code.co_name != "<module>":
            seen.setdefault(str(Path(name).relative_to(SOURCE)))

    sys.setprofile(watch)
    try:
        job(folder)
    finally:
        sys.setprofile(None)
    return list(seen)


def main() -> None:
    jobs = [pose, task, edit, retarget]
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for job in jobs:
            if wanted and job.__name__ not in wanted:
                continue
            job(folder)
            found = walked(job, folder)
            print(f"{job.__name__}: {len(found)} files")
            if wanted:
                print(listed(found))


def listed(files: list[str]) -> str:
    """Files in a row from one folder share a line, as docs/architecture.md shows them."""
    lines: list[tuple[str, list[str]]] = []
    for path in map(Path, files):
        folder = "" if path.parent == Path() else f"{path.parent}/"
        if not lines or lines[-1][0] != folder:
            lines.append((folder, []))
        lines[-1][1].append(path.stem)
    return "\n".join(f"{folder:<25} {', '.join(names)}" for folder, names in lines)


if __name__ == "__main__":
    main()
