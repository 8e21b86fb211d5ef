"""Broken BVH files: one sentence with file and line, at once."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
from bvh_samples import Sample
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.errors import FileProblem, PosewrightError
from posewright.formats import load

TEXT = Sample(frames=3).text()


def refusal(folder: Path, content: str | bytes) -> str:
    path = folder / "broken.bvh"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(FileProblem) as caught:
        load(path)
    assert caught.value.line is not None
    assert caught.value.path == path
    message = str(caught.value)
    assert len(message) < 500
    return message.removeprefix(str(path))


def line_of(text: str, piece: str) -> int:
    return text[: text.index(piece)].count("\n") + 1


def changed(old: str, new: str, *, times: int = 1) -> str:
    assert old in TEXT
    return TEXT.replace(old, new, times)


CASES = {
    "empty": ("", "the file is empty"),
    "blank": (" \n\n ", "the file is empty"),
    "other text": ("Dear reader,\n", "begins with 'Dear', not with HIERARCHY"),
    "binary": (b"HIERARCHY\0\1\2", "binary data"),
    "utf-16": (TEXT.encode("utf-16"), "UTF-16"),
    "no root": ("HIERARCHY\nMOTION\nFrames: 0\nFrame Time: 1\n", "'MOTION' does not belong in the hierarchy"),
    "root is nameless": (changed("ROOT Hips", "ROOT"), "a joint without a name"),
    "no brace": (changed("ROOT Hips\n{", "ROOT Hips\n"), "where { should open"),
    "brace missing": (changed("}\nMOTION", "MOTION"), "no } closes the block of 'Hips', opened in line 2"),
    "brace too many": (changed("}\nMOTION", "}\n}\nMOTION"), "'}' does not belong in the hierarchy"),
    "joint outside": (changed("ROOT", "JOINT"), "a JOINT outside any ROOT"),
    "root inside": (changed("JOINT", "ROOT"), "a ROOT inside another joint"),
    "no motion": (Sample().hierarchy(), "the file ends without a MOTION section"),
    "cut in the hierarchy": (TEXT[: TEXT.index("\t\tOFFSET")], "no } closes the block of 'Spine'"),
    "no offset": (re.sub(r"\tOFFSET.*\n", "", TEXT, count=1), "has no OFFSET"),
    "offset of two": (re.sub(r"OFFSET \S+ ", "OFFSET ", TEXT, count=1), "a number of this OFFSET is 'CHANNELS'"),
    "offset not finite": (re.sub(r"OFFSET \S+ ", "OFFSET nan ", TEXT, count=1), "'nan'; a finite decimal number"),
    "offset with comma": (re.sub(r"OFFSET \S+ ", "OFFSET 1,5 ", TEXT, count=1), "decimal comma"),
    "unknown channel": (changed("Xrotation", "Wrotation"), "'Wrotation' is not a channel; did you mean"),
    "channel count": (changed("CHANNELS 6", "CHANNELS 7"), "'JOINT' is not a channel"),
    "channels many": (changed("CHANNELS 6", "CHANNELS 600"), "declares 600 channels"),
    "channels not a number": (changed("CHANNELS 6", "CHANNELS six"), "the number of channels is 'six'"),
    "position twice": (changed("Yposition", "Xposition"), "two channels Xposition"),
    "no frames line": (changed("Frames: 3\n", ""), "where 'Frames:' and a number are expected"),
    "no frame time": (changed("Frame Time: 0.0333333\n", ""), "where 'Frame Time:' and a number are expected"),
    "frames not a number": (changed("Frames: 3", "Frames: many"), "the number of frames is 'many'"),
    "frame time zero": (changed("0.0333333", "0"), "the frame time is 0; it must be more than 0"),
    "frame time negative": (changed("0.0333333", "-0.03"), "must be more than 0"),
    "frame time and more": (changed("0.0333333", "0.0333333 5"), "there is more on the line after the frame time"),
    "no rows": (TEXT[: TEXT.index("0.0333333") + 9], "states 3 frames, but the file ends without any"),
    "last row cut": (
        TEXT.rstrip().rpartition(" ")[0],
        "this frame has 29 numbers; the channels of the file need 30",
    ),
    "long row": (TEXT.rstrip() + " 1", "this frame has 31 numbers"),
    "end site with channels": (changed("\t\t}", "\t\tCHANNELS 0\n}"), "should close the End Site"),
}


@pytest.mark.parametrize(("content", "expected"), CASES.values(), ids=CASES)
def test_broken_files_are_refused(content: str | bytes, expected: str, tmp_path: Path) -> None:
    assert expected in refusal(tmp_path, content)


def test_the_line_is_right(tmp_path: Path) -> None:
    text = changed("CHANNELS 3 Zrotation Yrotation", "CHANNELS 3 Zrotation Wrotation")
    assert refusal(tmp_path, text).startswith(f", line {line_of(text, 'Wrotation')}: ")
    crlf = text.replace("\n", "\r\n")
    assert refusal(tmp_path, crlf).startswith(f", line {line_of(crlf, 'Wrotation')}: ")
    rows = TEXT.rstrip() + " -1.#IND00\n"
    assert refusal(tmp_path, rows).startswith(
        f", line {line_of(rows, '-1.#IND00')}: number 31 of this frame is '-1.#IND00'"
    )


ROOT = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
HUGE = {
    "nested joints": ROOT + "JOINT a\n{\nOFFSET 0 0 0\n" * 1_000_000,
    "End Sites": ROOT + "End Site {OFFSET 0 0 0}\n" * 300_000,
    "braces": "HIERARCHY\nROOT a\n" + "{" * 3_000_000,
    "one token": "x" * 10_000_000,
    "one name": "HIERARCHY\nROOT " + "x" * 10_000_000,
    "one name of many words": "HIERARCHY\nROOT " + "a " * 3_000_000,
    "one number": ROOT + "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 " + "1" * 10_000_000,
    "one count": ROOT + "}\nMOTION\nFrames: " + "9" * 10_000_000 + "\nFrame Time: 1\n",
    "blank lines": ROOT + "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n" + "\n" * 5_000_000,
}


@pytest.mark.parametrize("content", HUGE.values(), ids=HUGE)
def test_huge_nonsense_is_refused(content: str, tmp_path: Path) -> None:
    refusal(tmp_path, content)


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["delete", "insert", "replace", "cut"]),
            st.integers(0, len(TEXT)),
            st.integers(0, 40),
            st.one_of(
                st.binary(max_size=8),
                st.sampled_from(
                    [b"{", b"}", b"JOINT x\n", b"\n", b"MOTION\n", b"-", b"1e400", b"#", b"CHANNELS 0", b"End"]
                ),
            ),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_mutated_files_are_read_or_refused(tmp_path: Path, edits: list[tuple[str, int, int, bytes]]) -> None:
    data = bytearray(TEXT.encode())
    for kind, at, length, piece in edits:
        if kind == "cut":
            del data[at:]
        else:
            data[at : at + (0 if kind == "insert" else length)] = b"" if kind == "delete" else piece
    path = tmp_path / "mutated.bvh"
    path.write_bytes(data)
    with suppress(PosewrightError):
        load(path)
