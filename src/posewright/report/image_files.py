"""Pictures as files: PNG and GIF through Pillow, MP4 through ffmpeg. Files are complete or not there at all."""

from __future__ import annotations

import importlib
from collections.abc import Generator, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from posewright.errors import FileProblem, InvalidSetting, MissingExtra
from posewright.formats.atomic import replacing
from posewright.report.picture import Picture

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = (".png", ".gif", ".mp4")
SHORTEST_DELAY = 0.02
"""s; viewers play a GIF with shorter delays slowly"""
LABEL_INK, STRONG_INK = (88, 99, 115), (20, 26, 36)
_PALETTE_FRAMES, _PALETTE_PIXELS = 8, 160_000  # enough to choose from
_BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])


def write_png(picture: Picture, path: str | Path) -> None:
    """One picture."""
    image = as_image(picture)
    with replacing(path) as temporary:
        image.save(temporary, format="PNG", optimize=True)


def write_gif(pictures: Iterable[Picture], path: str | Path, *, fps: float) -> None:
    """A film that plays for ever, in 256 colours chosen from all of it.

    A GIF counts hundredths of a second: each delay is rounded so that the whole stays in time.
    """
    if not 0.0 < fps <= 1.0 / SHORTEST_DELAY:
        raise InvalidSetting(f"a GIF of {fps:g} frames per second; viewers play at most {1.0 / SHORTEST_DELAY:g}")
    frames = [as_image(picture) for picture in pictures]
    if not frames:
        raise InvalidSetting("a film needs at least one frame")
    palette = _shared_palette(frames)
    ticks = np.round(np.arange(len(frames) + 1) * 100.0 / fps).astype(int)
    reduced = [_reduced(frame, palette) for frame in frames]
    with replacing(path) as temporary:
        reduced[0].save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=reduced[1:],
            duration=[10 * int(delay) for delay in np.diff(ticks)],
            loop=0,
            disposal=1,
        )


def write_mp4(pictures: Iterable[Picture], path: str | Path, *, fps: float) -> None:
    """A film in H.264, which every browser plays; width and height must be even."""
    ffmpeg = _needed("imageio_ffmpeg", "imageio-ffmpeg", "writing an MP4")
    if not 0.0 < fps <= 1000.0:
        raise InvalidSetting(f"a film of {fps:g} frames per second; it must be above 0 and at most 1000")
    stream = iter(pictures)
    first = next(stream, None)
    if first is None:
        raise InvalidSetting("a film needs at least one frame")
    height, width = first.shape[:2]
    check_even(width, height)
    with replacing(path) as temporary:
        writer: Generator[None, Picture, None] = ffmpeg.write_frames(
            str(temporary),
            (width, height),
            fps=fps,
            codec="libx264",
            pix_fmt_out="yuv420p",
            macro_block_size=2,
            output_params=["-crf", "17", "-preset", "medium", "-movflags", "+faststart", "-loglevel", "error"],
            ffmpeg_log_level="error",
        )
        try:
            next(writer)
            for picture in chain([first], stream):
                writer.send(np.ascontiguousarray(picture))
        except OSError as error:
            raise FileProblem(path, f"ffmpeg stopped: {error}") from error
        finally:
            writer.close()


def check_even(width: int, height: int) -> None:
    """Raise where a film in H.264 cannot have this size."""
    if width % 2 or height % 2:
        even = f"{width + width % 2}x{height + height % 2}"
        raise InvalidSetting(f"an MP4 of {width}x{height} pixels; width and height must be even, such as {even}")


def as_image(picture: Picture) -> Image:
    """The picture as Pillow holds it."""
    pillow = _needed("PIL.Image", "Pillow", "writing a picture")
    image: Image = pillow.fromarray(picture)
    return image


def labelled(picture: Picture, text: str) -> Picture:
    """The picture with a line of small text in its lower left corner."""
    height = picture.shape[0]
    size = min(max(10, round(0.065 * height)), 18)
    return _with_text(picture, size, [(0.5 * size, height - 0.5 * size, text, LABEL_INK)], "ls")


def written(picture: Picture, words: Sequence[tuple[float, float, str, bool]]) -> Picture:
    """The picture with words in small print, each with the pixel of its middle and whether it matters more."""
    size = min(max(8, round(0.04 * picture.shape[0])), 13)
    return _with_text(
        picture, size, [(x, y, text, STRONG_INK if strong else LABEL_INK) for x, y, text, strong in words]
    )


def _with_text(
    picture: Picture, size: int, words: Sequence[tuple[float, float, str, tuple[int, int, int]]], anchor: str = "mm"
) -> Picture:
    image = as_image(picture)
    font = _needed("PIL.ImageFont", "Pillow", "writing on a picture").load_default(size=size)
    pen = _needed("PIL.ImageDraw", "Pillow", "writing on a picture").Draw(image)
    for x, y, text, ink in words:
        pen.text((x, y), text, fill=ink, font=font, anchor=anchor)
    return np.array(image)


def with_legend(picture: Picture, entries: Sequence[tuple[str, str]]) -> Picture:
    """The picture with pairs of a colour ("#rrggbb") and what it stands for in its upper left corner, a line each."""
    image = as_image(picture)
    size = min(max(9, round(0.045 * picture.shape[0])), 15)
    font = _needed("PIL.ImageFont", "Pillow", "writing on a picture").load_default(size=size)
    pen = _needed("PIL.ImageDraw", "Pillow", "writing on a picture").Draw(image)
    for line, (colour, text) in enumerate(entries):
        top, left = (0.7 + 1.5 * line) * size, 0.7 * size
        pen.rectangle((left, top, left + size, top + size), fill=colour)
        pen.text((left + 1.6 * size, top + 0.5 * size), text, fill=LABEL_INK, font=font, anchor="lm")
    return np.array(image)


def _needed(module: str, package: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra(what, package, "render") from None


def _shared_palette(frames: list[Image]) -> Image:
    """256 colours for some frames spread over the film, so that none flickers between palettes."""
    chosen = [frames[k] for k in np.unique(np.linspace(0, len(frames) - 1, _PALETTE_FRAMES).astype(int))]
    width, height = frames[0].size
    stride = max(1, round((len(chosen) * width * height / _PALETTE_PIXELS) ** 0.5))
    stacked = np.vstack([np.asarray(frame)[::stride, ::stride] for frame in chosen])
    return as_image(stacked).quantize(colors=255, kmeans=1)


def _reduced(frame: Image, palette: Image) -> Image:
    """A frame in the colours of the palette.

    Half-tones follow a fixed pattern: unlike diffused errors it stands still from frame to frame.
    """
    pixels = np.asarray(frame).astype(np.int16)
    height, width = pixels.shape[:2]
    pattern = np.tile(_BAYER, (-(-height // 4), -(-width // 4)))[:height, :width, np.newaxis]
    shifted = np.clip(pixels + (pattern - 7) // 3, 0, 255).astype(np.uint8)
    return as_image(shifted).quantize(
        palette=palette, dither=_needed("PIL.Image", "Pillow", "writing a picture").Dither.NONE
    )
