"""Whatever the bytes, a glTF either reads or gives one error; it never hangs or crashes."""

import contextlib
import json
import struct
from pathlib import Path
from typing import Any

import pytest
from gltf_samples import character
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.errors import FileProblem
from posewright.formats import load
from posewright.formats.gltf.mesh import character_mesh

BOUNDED = settings(max_examples=60)
WRONG = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 2**40), st.floats(), st.text(max_size=4),
    st.lists(st.integers(-2, 9), max_size=17), st.just({}), st.just([]),
)  # fmt: skip


def read_or_refuse(path: Path) -> None:
    with contextlib.suppress(FileProblem):
        found = load(path)
        found.save(path.with_name("again.glb"))  # what can be read can be written
        character_mesh(getattr(found, "figure", found))


@BOUNDED
@given(data=st.data())
def test_damaged_bytes(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(character().glb(tmp_path / "whole.glb").read_bytes())
    for _ in range(data.draw(st.integers(0, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "broken.glb").write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    read_or_refuse(tmp_path / "broken.glb")


@BOUNDED
@given(data=st.data())
def test_wrong_fields(tmp_path: Path, data: st.DataObject) -> None:
    sample = character()
    for _ in range(data.draw(st.integers(1, 3))):
        place: Any = sample.document
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and data.draw(st.integers(0, 3)):
                place = place[key]
                continue
            if isinstance(place, dict) and data.draw(st.booleans()):
                del place[key]
            else:
                place[key] = data.draw(WRONG)
            break
    read_or_refuse(sample.glb(tmp_path / "broken.glb"))


@BOUNDED
@given(raw=st.binary(max_size=200))
def test_garbage(tmp_path: Path, raw: bytes) -> None:
    for name, head in (("a.glb", b""), ("b.glb", b"glTF"), ("c.gltf", b"")):
        (tmp_path / name).write_bytes(head + raw)
        with pytest.raises(FileProblem):
            load(tmp_path / name)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"asset":' * 50_000,
        "1" * 10_000_000,
        '{"asset": {"version": "2.0"}, "nodes": [{"translation": [NaN, 0, 0]}]}',
        '{"asset": {"version": "2.0"}}',
        "[]",
        "",
        '{"asset": {"version": "2.0"}, "nodes": [{"children": [0]}]}',
    ],
)
def test_pathological_json(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.gltf").write_text(text)
    with pytest.raises(FileProblem):
        load(tmp_path / "a.gltf")
    data = text.encode() + b" " * (-len(text) % 4)
    (tmp_path / "a.glb").write_bytes(struct.pack("<4sIIII", b"glTF", 2, 20 + len(data), len(data), 0x4E4F534A) + data)
    with pytest.raises(FileProblem):
        load(tmp_path / "a.glb")


def test_a_very_deep_chain_of_nodes_is_read_or_refused_quickly(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [{"children": [k + 1], "translation": [0, 0.01, 0]} for k in range(70_000)] + [{}]
    (tmp_path / "deep.gltf").write_text(json.dumps({"asset": {"version": "2.0"}, "nodes": nodes}))
    with pytest.raises(FileProblem, match="nodes has 70001 entries; it must have at most 65536"):
        load(tmp_path / "deep.gltf")
    nodes = [*nodes[:3000], {}]
    (tmp_path / "deep.gltf").write_text(json.dumps({"asset": {"version": "2.0"}, "nodes": nodes}))
    figure = load(tmp_path / "deep.gltf")
    assert len(figure.joints) == 3001
