"""The pictures of the page in docs/studio.md, made by the driver of the tests: `python -m tests.studio.screenshots`.

Figures and clips are made by code. Another folder than `docs/pictures`, and names of pictures, may be given:
`python -m tests.studio.screenshots --into DIR pose edit`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from posewright import clips, figure

from .conftest import CHROMIUM, FLAGS, StudioPage, serving

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
REACH = Path(__file__).parents[2] / "examples" / "tasks" / "reach_and_look.yaml"
SIZE = {"width": 1366, "height": 768}


def button(studio: StudioPage, name: str) -> Any:
    return studio.page.get_by_role("button", name=name, exact=True)


def between(studio: StudioPage, first: str, second: str, share: float) -> tuple[float, float]:
    """A point on the body, on the page."""
    a, b = (np.array(studio.screen(name)) for name in (first, second))
    x, y = ((1.0 - share) * a + share * b).tolist()
    return x, y


def drag_by(studio: StudioPage, start: tuple[float, float], by: tuple[float, float]) -> None:
    goals = len(studio.state()["goals"])
    studio.drag(start, (start[0] + by[0], start[1] + by[1]), steps=20)
    studio.until(lambda state: len(state["goals"]) > goals and not state["busy"])


def aside(studio: StudioPage) -> None:
    """The mouse away from everything, so that nothing is lit by it, and all is drawn."""
    studio.page.mouse.move(683, 20)
    studio.settle()
    studio.page.wait_for_timeout(1000)  # at rest it is drawn in full
    studio.page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => drawn(null)))")


def around(studio: StudioPage) -> None:
    """The camera a little to the side."""
    studio.drag((330.0, 560.0), (265.0, 580.0))


def pose(studio: StudioPage) -> None:
    """A task: a hand at an apple, eyes on it."""
    studio.until(lambda state: any(goal["site"] == "view" for goal in state["goals"]) and not state["busy"])
    before = studio.state()["joints"]
    button(studio, "Solve").click()
    studio.until(lambda state: state["joints"] != before and not state["busy"])
    studio.row("right_hand").click(position={"x": 20, "y": 12})
    studio.until(lambda state: state["selection"] == "right_hand")
    studio.page.mouse.move(678.0, 400.0)
    studio.page.mouse.wheel(0.0, 230.0)
    aside(studio)


def dark(studio: StudioPage) -> None:
    """An arm that cannot come where its hand is wanted, and why."""
    button(studio, "view front").click()
    button(studio, "Limb").click()
    drag_by(studio, between(studio, "left_elbow", "left_wrist", 0.9), (150.0, -150.0))
    around(studio)
    aside(studio)


def compare(studio: StudioPage) -> None:
    button(studio, "view front").click()
    drag_by(studio, between(studio, "left_elbow", "left_wrist", 0.9), (80.0, -150.0))
    around(studio)
    button(studio, "Compare").click()
    studio.until(lambda state: len(state["proposals"]) >= 4 and not state["proposing"], 120)
    aside(studio)


def particles(studio: StudioPage) -> None:
    button(studio, "view front").click()
    drag_by(studio, between(studio, "left_elbow", "left_wrist", 0.9), (80.0, -150.0))
    button(studio, "Other answers").click()
    studio.until(lambda state: state["particles"] and not state["proposing"], 120)
    step = studio.page.get_by_role("slider", name="step of the search")
    step.focus()
    studio.page.keyboard.press("Home")
    for _ in range(2):
        studio.page.keyboard.press("ArrowRight")
    studio.until(lambda state: state["search_step"] == 2)
    aside(studio)


def edit(studio: StudioPage) -> None:
    studio.until(lambda state: state["tab"] == "Edit" and not state["busy"])
    frame = studio.page.get_by_role("slider", name="frame")
    frame.focus()
    for _ in range(4):
        studio.page.keyboard.press("Shift+ArrowRight")
    studio.until(lambda state: state["frame"] == 40)
    x, y = between(studio, "left_elbow", "left_wrist", 0.9)
    studio.drag((x, y), (x + 60.0, y - 200.0), steps=20)
    studio.until(lambda state: state["keys"] and not state["busy"])
    button(studio, "Trails").click()
    aside(studio)


def retarget(studio: StudioPage) -> None:
    studio.page.get_by_role("tab", name="Retarget").click()
    studio.until(lambda state: state["retarget"] and not state["busy"])
    button(studio, "Retarget").click()
    studio.until(lambda state: state["retarget"]["result"] and not state["retarget"]["running"] and not state["busy"])
    studio.page.get_by_role("slider", name="frame").focus()
    for _ in range(4):
        studio.page.keyboard.press("Shift+ArrowRight")
    studio.until(lambda state: state["frame"] == 40)
    aside(studio)


def match(studio: StudioPage) -> None:
    studio.page.get_by_role("tab", name="Retarget").click()
    studio.until(lambda state: state["retarget"] and not state["busy"])
    button(studio, "Match").click()
    studio.until(lambda state: state["retarget"]["view"] == "Match")
    aside(studio)


def design(studio: StudioPage) -> None:
    button(studio, "view front").click()
    drag_by(studio, between(studio, "left_elbow", "left_wrist", 0.95), (40.0, -100.0))
    studio.page.get_by_role("tab", name="Design").click()
    studio.until(lambda state: state["design"] and not state["busy"])
    for clip in studio.page.get_by_role("checkbox").all():
        clip.check()
    button(studio, "Collect postures").click()
    studio.until(lambda state: state["design"]["parts"] and not state["design"]["collecting"] and not state["busy"], 60)
    for goal in studio.state()["goals"]:
        studio.page.get_by_role("combobox", name=goal["name"], exact=True).select_option("limb")
        studio.settle()
    around(studio)
    aside(studio)


SHOTS: dict[str, tuple[str, tuple[str, ...], Callable[[StudioPage], None]]] = {
    "pose": ("light", (str(REACH),), pose),
    "dark": ("dark", (), dark),
    "compare": ("dark", (), compare),
    "particles": ("dark", (), particles),
    "edit": ("dark", ("walk.bvh",), edit),
    "retarget": ("light", ("walk.bvh", "character.glb"), retarget),
    "match": ("dark", ("walk.bvh", "character.glb"), match),
    "design": ("light", (), design),
}
"""By name: light or dark, what is opened, what is done."""


def make_files(folder: Path) -> None:
    """A clip, and a character with a mesh."""
    clips.walk(figure("human40"), steps=4, fps=30.0).save(folder / "walk.bvh")
    clips.walk(figure("human"), steps=1, fps=30.0).save(folder / "character.glb")


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SHOTS)} (default: all)")
    parser.add_argument("--into", type=Path, default=PICTURES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as driver:
        folder = Path(made)
        make_files(folder)
        browser = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        for name in options.names or SHOTS:
            scheme, files, act = SHOTS[name]
            with serving(*(str(folder / file) for file in files)) as address:
                context = browser.new_context(viewport=SIZE, color_scheme=scheme, locale="en-GB")
                studio = StudioPage(context.new_page(), address, fine=True)
                act(studio)
                studio.page.screenshot(path=options.into / f"studio-{name}.png")
                context.close()
                assert studio.complaints == [], studio.complaints
            print(options.into / f"studio-{name}.png")


if __name__ == "__main__":
    main()
