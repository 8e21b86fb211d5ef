"""Picture files: PNG and GIF by Pillow, MP4 by ffmpeg; and text on pictures.

Files are complete or not there at all.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from posewright.checks import require_extra, require_number
from posewright.errors import FileProblem, InvalidSetting
from posewright.formats.atomic import replacing
from posewright.report.picture import Picture

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = (".png", ".gif", ".mp4")
FASTEST_GIF = 50.0
"""Maximum frames per second; viewers play GIFs with shorter delays slowly."""
INK, STRONG_INK = (88, 99, 115), (20, 26, 36)
_PALETTE_FRAMES, _PALETTE_PIXELS = 8, 160_000  # enough to choose from
_BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])


def write_png(picture: Picture, path: str | Path) -> None:
    """One picture."""
    image = as_image(picture)
    with replacing(path) as temporary:
        image.save(temporary, format="PNG", optimize=True)


def write_gif(pictures: Iterable[Picture], path: str | Path, *, fps: float) -> None:
    """A film that loops, in 256 colours chosen from all of it.

    A GIF counts hundredths of a second: each delay is rounded so that the whole stays in time.
    """
    require_number(fps, "the frame rate of a GIF", above=0.0, at_most=FASTEST_GIF)
    frames = [as_image(picture) for picture in pictures]
    if not frames:
        raise InvalidSetting("a film needs at least one frame")
    palette = _shared_palette(frames)
    ticks = np.round(np.arange(len(frames) + 1) * 100.0 / fps).astype(int)
    first, *others = [_reduced(frame, palette) for frame in frames]
    delays = [10 * int(delay) for delay in np.diff(ticks)]
    with replacing(path) as temporary:
        first.save(temporary, format="GIF", save_all=True, append_images=others, duration=delays, loop=0, disposal=1)


def write_mp4(pictures: Iterable[Picture], path: str | Path, *, fps: float) -> None:
    """A film in H.264, which every browser plays; width and height must be even."""
    ffmpeg = require_extra("imageio_ffmpeg", "writing an MP4", "imageio-ffmpeg", "render")
    require_number(fps, "the frame rate of a film", above=0.0, at_most=1000.0)
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
    """Raise an error if a film in H.264 cannot have this size."""
    if width % 2 or height % 2:
        even = f"{width + width % 2}x{height + height % 2}"
        raise InvalidSetting(f"an MP4 of {width}x{height} pixels; width and height must be even, such as {even}")


def as_image(picture: Picture) -> Image:
    """The picture as a Pillow image."""
    image: Image = _pillow("Image").fromarray(picture)
    return image


def labelled(picture: Picture, text: str) -> Picture:
    """The picture with a line of small text in its lower left corner."""
    height = picture.shape[0]
    size = min(max(10, round(0.065 * height)), 18)
    return _lettered(picture, size, [((0.5 * size, height - 0.5 * size), text, INK)], "ls")


def with_words(picture: Picture, words: Sequence[tuple[float, float, str, bool]]) -> Picture:
    """The picture with small texts, each with the pixel of its middle and whether it is emphasised."""
    size = min(max(8, round(0.04 * picture.shape[0])), 13)
    texts = [((x, y), text, STRONG_INK if strong else INK) for x, y, text, strong in words]
    return _lettered(picture, size, texts, "mm")


def with_legend(picture: Picture, entries: Sequence[tuple[str, str]]) -> Picture:
    """The picture with a legend in its upper left corner: colours ("#rrggbb") and their meanings."""
    size = min(max(9, round(0.045 * picture.shape[0])), 15)
    image = as_image(picture)
    pen, left, texts = _pillow("ImageDraw").Draw(image), 0.7 * size, []
    for line, (colour, text) in enumerate(entries):
        top = (0.7 + 1.5 * line) * size
        pen.rectangle((left, top, left + size, top + size), fill=colour)
        texts.append(((left + 1.6 * size, top + 0.5 * size), text, INK))
    return _lettered(np.array(image), size, texts, "lm")


def _lettered(
    picture: Picture, size: int, texts: Sequence[tuple[tuple[float, float], str, tuple[int, int, int]]], anchor: str
) -> Picture:
    """The picture with texts at pixels; an anchor is horizontal (l, m), then vertical (m, s for the baseline)."""
    image = as_image(picture)
    font, pen = _pillow("ImageFont").load_default(size=size), _pillow("ImageDraw").Draw(image)
    for place, text, ink in texts:
        pen.text(place, text, fill=ink, font=font, anchor=anchor)
    return np.array(image)


def _pillow(module: str) -> Any:
    return require_extra(f"PIL.{module}", "writing a picture", "Pillow", "render")


def _shared_palette(frames: list[Image]) -> Image:
    """256 colours chosen from frames of the whole film, so that it does not flicker between palettes."""
    chosen = [frames[k] for k in np.unique(np.linspace(0, len(frames) - 1, _PALETTE_FRAMES).astype(int))]
    width, height = frames[0].size
    stride = max(1, round((len(chosen) * width * height / _PALETTE_PIXELS) ** 0.5))
    stacked = np.vstack([np.asarray(frame)[::stride, ::stride] for frame in chosen])
    return as_image(stacked).quantize(colors=255, kmeans=1)


def _reduced(frame: Image, palette: Image) -> Image:
    """A frame in the colours of the palette.

    Half-tones follow a fixed pattern: unlike diffused errors it stays the same from frame to frame.
    """
    pixels = np.asarray(frame).astype(np.int16)
    height, width = pixels.shape[:2]
    pattern = np.tile(_BAYER, (-(-height // 4), -(-width // 4)))[:height, :width, np.newaxis]
    shifted = np.clip(pixels + (pattern - 7) // 3, 0, 255).astype(np.uint8)
    return as_image(shifted).quantize(palette=palette, dither=_pillow("Image").Dither.NONE)
