"""`posewright render`: make pictures and films of figures and motions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from posewright.cli import options
from posewright.cli.printing import StatusLine, with_doubts
from posewright.errors import InvalidSetting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from posewright.formats import ReadOptions
    from posewright.motions import Motion
    from posewright.report.film import Film
    from posewright.report.picture import Picture

STILL_SIZE, SHEET_SIZE, STRIP_SIZE = "640x480", "1280x960", "1280x480"


@click.command(cls=options.CommandWithExamples)
@click.argument("file", type=options.PATH)
@click.option("-o", "--out", type=options.PATH, required=True, help="Output file: .png, .gif, .mp4 or .html.")
@click.option(
    "--camera",
    default="three-quarter",
    help="front, side, back, top, three-quarter, or AZIMUTH,ELEVATION in degrees (0: front, 90: left).",
)
@click.option("--size", help="WIDTHxHEIGHT in pixels (default 640x480, larger for sheets and strips).")
@click.option("--frames", help="One frame, or a range START:STOP or START:STOP:STEP.")
@click.option("--sheet", is_flag=True, help="PNG: a contact sheet of 12 frames.")
@click.option("--strip", is_flag=True, help="PNG: the last frame, with earlier ones as ghosts.")
@click.option("--fps", type=options.RATE, help="Frame rate of the film (default: the clip's, at most 30).")
@click.option("--follow", is_flag=True, help="Move the camera with the figure.")
@options.read_flags("unit", "up", "positions", "drop-first", "skeleton", "animation", "from-layout", "base")
def render(
    file: Path,
    out: Path,
    camera: str,
    size: str | None,
    frames: str | None,
    sheet: bool,
    strip: bool,
    fps: float | None,
    follow: bool,
    read: ReadOptions,
) -> None:
    """Make a picture or film of a clip, or a picture of a figure.

    For example:
        posewright render walk.bvh -o walk.gif
        posewright render walk.bvh -o walk.mp4 --camera side --follow --size 1280x720
        posewright render walk.bvh -o frame.png --frames 42 --camera 60,20
        posewright render jump.bvh -o jump.png --strip --frames 0:300
        posewright render dance.bvh -o dance.png --sheet
        posewright render dance.glb -o dance.html
    """
    from posewright.figures import Figure
    from posewright.formats import load
    from posewright.motions import Motion
    from posewright.report.camera import Direction
    from posewright.report.film import Film
    from posewright.report.image_files import SUFFIXES, write_png

    suffix = out.suffix.lower()
    options.require_output(out, (*SUFFIXES, ".html"), "a picture")
    if suffix == ".html":
        _write_page(file, out, frames, read)
        return
    if (sheet or strip) and suffix != ".png":
        raise InvalidSetting(f"--sheet and --strip make a PNG, not {out.name}")
    if sheet and strip:
        raise InvalidSetting("--sheet and --strip cannot be combined")
    direction = Direction.parse(camera)
    width, height = _pixels(size or (SHEET_SIZE if sheet else STRIP_SIZE if strip else STILL_SIZE))
    loaded = with_doubts(file, load(file, read))
    if isinstance(loaded, Figure):
        if suffix != ".png":
            raise InvalidSetting(
                f"{file} contains a figure without frames; {suffix} needs a motion; use .png for a figure"
            )
        loaded = Motion(loaded, loaded.rest[None], fps=30.0)
    film = Film(
        motions=(_cut(loaded, frames, file),), direction=direction, width=width, height=height, fps=fps, follow=follow
    )
    if suffix != ".png":
        _write_film(film, out)
    else:
        write_png(_still(film, sheet, strip), out)
    click.echo(f"{out}: {width}x{height}" + (f", {len(film)} frames" if suffix != ".png" else ""))


def _write_page(file: Path, out: Path, frames: str | None, read: ReadOptions) -> None:
    """Write one file that contains a viewer, in which camera, size and frame rate are chosen."""
    from posewright.figures import Figure
    from posewright.formats import load
    from posewright.studio.standalone import write_standalone

    options.refuse_given(
        f"of pictures and films, not of {out.name}", "camera", "size", "sheet", "strip", "fps", "follow"
    )
    loaded = load(file, read)
    shown = loaded if isinstance(loaded, Figure) else _cut(loaded, frames, file)
    if isinstance(loaded, Figure) and frames is not None:
        raise InvalidSetting(f"{file} contains a figure without frames, so --frames does not apply")
    size = write_standalone(out, file.name, shown, lambda step: click.echo(f"render: {step}", err=True))
    about = "a figure" if isinstance(shown, Figure) else f"{len(shown)} frames"
    click.echo(f"{out}: {about}, {size / 1e6:.1f} MB")


def _still(film: Film, sheet: bool, strip: bool) -> Picture:
    if sheet:
        return film.sheet()
    return film.strip() if strip else film.picture(0.5 * film.duration)


def _write_film(film: Film, out: Path) -> None:
    from posewright.report.image_files import check_even, write_gif, write_mp4

    moving = out.suffix.lower() == ".mp4"
    if moving:
        check_even(film.width, film.height)
    with StatusLine() as progress:

        def pictures() -> Iterator[Picture]:
            for k, picture in enumerate(film.pictures()):
                progress(f"{k} of {len(film)} frames drawn")
                yield picture

        (write_mp4 if moving else write_gif)(pictures(), out, fps=film.rate)


def _cut(motion: Motion, frames: str | None, file: Path) -> Motion:
    from posewright.motions.frame_ranges import frames_of, row_of

    if frames is None or ":" in frames:
        return frames_of(motion, frames, file)
    try:
        index = int(frames)
    except ValueError:
        raise InvalidSetting(f"--frames is {frames!r}; it must be a frame or START:STOP[:STEP]") from None
    index = row_of(motion, index)
    return motion[index : index + 1]


def _pixels(size: str) -> tuple[int, int]:
    try:
        width, height = (int(word) for word in size.lower().split("x"))
    except ValueError:
        raise InvalidSetting(f"--size is {size!r}; it must be WIDTHxHEIGHT in pixels, such as 640x480") from None
    return width, height
