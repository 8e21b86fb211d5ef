"""Mutators that know the structure of a format: what they make of a file is mostly a file of the same kind.

A mutator takes the bytes of a file and a source of chance and returns other bytes. Files that it cannot parse, because
an earlier mutation broke them, are changed as text or as bytes.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import pickletools
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import yaml

Mutator = Callable[[bytes, random.Random], bytes]

NUMBERS = (
    *("0", "-0", "1", "-1", "2", "3.5", "7", "90", "1e5", "1e30", "-1e38", "1e154", "1e308", "1e-320", "-1e999"),
    *("nan", "inf", "-inf", "NaN", "Infinity", "9" * 30, "0x10", "1,5", "1_000", "+200000", "+1", "1e", ".", "-"),
    *("255", "65535", "65536", "2147483648", "-2147483649", "4294967296", "18446744073709551616", "1000000000"),
)
WORDS = ("", "é", "\u202e", "\0", "..", "../x", "%2e%2e/x", "/dev/zero", "true", "null", "~", "{", "}", "x" * 2000)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 255, 65536, 2**31, 2**63, 10**30, 0.5, -0.0, 1e300, 1e-320, 1e38),
    *("", "x", "0", "é", "\u202e", "a/b", "../x", "x" * 2000, [], {}, [0], [0, 0, 0], [[]], {"x": 1}, [1e300] * 3),
)


def small(rng: random.Random, most: int) -> int:
    """A count from 1, mostly few."""
    return min(most, 1 + int(rng.expovariate(0.7)))


# Bytes and text.


def as_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, removed, repeated; the end cut off."""
    raw = bytearray(data)
    for _ in range(small(rng, 8)):
        where = rng.randrange(len(raw) + 1)
        how = rng.randrange(6)
        if how == 0:
            raw[where:where] = rng.randbytes(small(rng, 8))
        elif how == 1:
            del raw[where : where + small(rng, 64)]
        elif how == 2:
            raw[where : where + 1] = bytes([rng.randrange(256)])
        elif how == 3:
            raw[where : where + 4] = struct.pack("<I", rng.choice((0, 1, 2**31, 2**32 - 1, rng.randrange(2**32))))
        elif how == 4:
            piece = raw[where : where + rng.randrange(1, 200)]
            raw[where:where] = piece * rng.choice((1, 2, 50))
        elif rng.random() < 0.3:
            del raw[where:]
    return bytes(raw)


def as_text(data: bytes, rng: random.Random, words: tuple[str, ...] = ()) -> bytes:
    """Words and lines changed, removed, repeated, exchanged; `words` are those that the format knows."""
    if rng.random() < 0.1:
        return as_bytes(data, rng)
    lines = re.split(rb"(?<=\n)", data)
    for _ in range(small(rng, 6)):
        k = rng.randrange(len(lines))
        how = rng.randrange(10)
        if how == 0:
            del lines[k : k + small(rng, 3)]
        elif how == 1:
            lines[k:k] = lines[k : k + small(rng, 12)] * rng.choice((1, 1, 2, 30))
        elif how == 2:
            other = rng.randrange(len(lines))
            lines[k], lines[other] = lines[other], lines[k]
        elif how == 3 and rng.random() < 0.3:
            del lines[k + 1 :]
        else:
            parts = re.split(rb"([\s{}()\[\],:]+)", lines[k])
            p = rng.randrange(len(parts))
            fresh = rng.choice((*NUMBERS, *NUMBERS, *WORDS, *words, *words)).encode()
            parts[p : p + rng.randrange(3)] = [fresh, b" ", parts[p]] if rng.random() < 0.2 else [fresh]
            lines[k] = b"".join(parts)
        lines = lines or [b""]
    return b"".join(lines)


def text_of(*words: str) -> Mutator:
    """`as_text` of a format that knows these words."""
    return lambda data, rng: as_text(data, rng, words)


# Trees of mappings and lists.


def as_tree(tree: Any, rng: random.Random, names: tuple[str, ...] = ()) -> Any:
    """Values replaced, by strange ones or by others of the tree; keys and items removed, repeated, renamed."""
    for _ in range(small(rng, 4)):
        places = list(_places(tree))
        if not places:
            return rng.choice(VALUES)
        around, key = rng.choice(places)
        how = rng.randrange(8)
        if how == 0:
            del around[key]
        elif how == 1 and isinstance(around, list):
            around[key:key] = [around[key]] * rng.choice((1, 1, 2, 40))
        elif how == 2 and isinstance(around, dict):
            around[rng.choice((*names, "x", "", key.upper() if isinstance(key, str) else "y"))] = around.pop(key)
        elif how == 3:
            other, its = rng.choice(places)
            around[key] = json.loads(json.dumps(other[its], default=str))
        elif how == 4 and isinstance(around[key], int | float) and not isinstance(around[key], bool):
            around[key] = rng.choice((around[key] + 1, -around[key], around[key] * 1000, around[key] / 7))
        elif how == 5 and names:
            around[key] = rng.choice(names)
        else:
            around[key] = rng.choice(VALUES)
    return tree


def _places(tree: Any) -> Any:
    below = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(below):
        yield tree, key
        yield from _places(value)


def as_json(data: bytes, rng: random.Random) -> bytes:
    """A JSON document."""
    if rng.random() < 0.15:
        return as_text(data, rng, ('"', "[", "]", "NaN", "Infinity", '{"a":', "[[[["))
    try:
        return json.dumps(as_tree(json.loads(data), rng)).encode()
    except (ValueError, RecursionError):
        return as_text(data, rng)


def as_glb(data: bytes, rng: random.Random) -> bytes:
    """A GLB: its JSON, the numbers of its binary chunk, or its wrapping."""
    if rng.random() < 0.1 or len(data) < 28:
        return as_bytes(data, rng)
    size = struct.unpack_from("<I", data, 12)[0]
    text, binary = data[20 : 20 + size], bytearray(data[28 + size :])
    if rng.random() < 0.75:
        text = as_json(text.strip(), rng)
    else:
        for _ in range(small(rng, 6)):
            where = 4 * rng.randrange(len(binary) // 4 + 1)
            value = rng.choice((0.0, 1.0, -1.0, 1e38, float("nan"), float("inf"), rng.uniform(-10, 10)))
            binary[where : where + 4] = struct.pack("<f", value)
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def yaml_of(*names: str) -> Mutator:
    """YAML files that know these names."""
    odd = ("!!python/name:os.system", "!!float", "&a", "*a", "<<", "? ", "- - -", "|", ">", "2020-01-01", "1:30", "=")

    def mutate(data: bytes, rng: random.Random) -> bytes:
        if rng.random() < 0.25:
            return as_text(data, rng, (*names, *odd))
        try:
            tree = as_tree(yaml.load(data, yaml.CSafeLoader), rng, names)
            return yaml.dump(tree, Dumper=_Plain, default_flow_style=None, sort_keys=False).encode()
        except Exception:  # an earlier mutation broke it
            return as_text(data, rng, (*names, *odd))

    return mutate


class _Plain(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


# XML.


def xml_of(*words: str) -> Mutator:
    """XML files that know these words."""

    def mutate(data: bytes, rng: random.Random) -> bytes:
        if rng.random() < 0.1:
            return as_text(data, rng, (*words, "<!DOCTYPE a []>", "&amp;", "<!--", "]]>", "<a>", "</a>"))
        try:
            root = ElementTree.fromstring(data)
            for _ in range(small(rng, 4)):
                _change_element(root, rng, words)
            return ElementTree.tostring(root)
        except Exception:  # an earlier mutation broke it, or an element cannot be written
            return as_text(data, rng, words)

    return mutate


def _change_element(root: ElementTree.Element, rng: random.Random, words: tuple[str, ...]) -> None:
    elements = list(root.iter())
    element, other = rng.choice(elements), rng.choice(elements)
    how = rng.randrange(9)
    if how == 0 and len(element):
        element.remove(rng.choice(list(element)))
    elif how == 1:
        copied = ElementTree.fromstring(ElementTree.tostring(element))
        for _ in range(rng.choice((1, 1, 2, 20))):
            other.append(copied)
    elif how == 2 and rng.random() < 0.3:
        element.tag = other.tag
    elif how == 3 and element.attrib:
        del element.attrib[rng.choice(list(element.attrib))]
    elif how == 4 and other.attrib:
        name = rng.choice(list(other.attrib))
        element.set(rng.choice((name, "x")), other.attrib[name])
    elif element.attrib:
        name = rng.choice(list(element.attrib))
        parts = element.attrib[name].split()
        safe = tuple(word for word in (*NUMBERS, *WORDS, *words, *words) if "\0" not in word)
        if parts and rng.random() < 0.7:
            parts[rng.randrange(len(parts))] = rng.choice(safe)
            element.set(name, " ".join(parts))
        else:
            element.set(name, rng.choice(safe))


# Pickles.

INSTRUCTIONS = (b"}", b"]", b")", b"(", b"0", b"2", b"N", b"K\x07", b"\x85", b"\x86", b"R", b"b", b"s", b"\x94")


def as_pickle(data: bytes, rng: random.Random) -> bytes:
    """Instructions of a pickle removed, repeated, exchanged, or given other arguments."""
    if data[:1] == b"\x78" and rng.random() < 0.8:
        with contextlib.suppress(zlib.error):
            data = zlib.decompress(data)
    if rng.random() < 0.2:
        return as_bytes(data, rng)
    try:
        starts = [place for _, _, place in pickletools.genops(data) if place is not None]
    except Exception:  # an earlier mutation broke it
        return as_bytes(data, rng)
    parts = [data[low:high] for low, high in itertools.pairwise([*starts, len(data)])]
    for _ in range(small(rng, 5)):
        k, other = rng.randrange(len(parts)), rng.randrange(len(parts))
        how = rng.randrange(5)
        if how == 0:
            del parts[k]
        elif how == 1:
            parts[k:k] = parts[other : other + small(rng, 6)] * rng.choice((1, 1, 3))
        elif how == 2:
            parts[k] = parts[other]
        elif how == 3:
            parts[k:k] = [rng.choice(INSTRUCTIONS)]
        else:
            parts[k] = parts[k][:1] + as_bytes(parts[k][1:], rng)
        parts = parts or [b"."]
    changed = b"".join(parts)
    return zlib.compress(changed) if rng.random() < 0.1 else changed


# Archives of arrays.


def as_npz(data: bytes, rng: random.Random) -> bytes:
    """An archive: its arrays, their headers, or its own structure."""
    if rng.random() < 0.15:
        return as_bytes(data, rng)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = {name: file.read(name) for name in file.namelist()}
    except Exception:  # an earlier mutation broke it
        return as_bytes(data, rng)
    for _ in range(small(rng, 3)):
        if not members:
            break
        name = rng.choice(list(members))
        how = rng.randrange(8)
        if how == 0:
            del members[name]
        elif how == 1:
            members[rng.choice(list(members))] = members[name]
        elif how == 2:
            members[name] = _other_header(members[name], rng)
        elif how == 3:
            members[name] = as_bytes(members[name], rng)
        else:
            members[name] = _other_array(members[name], rng)
    out = io.BytesIO()
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(out, "w", method) as file:
        for name, raw in members.items():
            file.writestr(name, raw)
    return out.getvalue()


def _other_header(raw: bytes, rng: random.Random) -> bytes:
    shapes = ("(1000000000,)", "()", "(-1,)", "(0, 0)", "(2, 3)", "[3]")
    kinds = ("<f8", "|O", "<U0", "<U9", "<c16", ">f4", "<M8[s]", "V8")
    swaps = (
        (rb"'shape': \([^)]*\)", f"'shape': {rng.choice(shapes)}"),
        (rb"'descr': '[^']*'", f"'descr': '{rng.choice(kinds)}'"),
        (rb"'fortran_order': \w+", f"'fortran_order': {rng.choice(('True', '1', 'None'))}"),
    )
    pattern, fresh = rng.choice(swaps)
    match = re.search(pattern, raw[:200])
    if match is None:
        return raw
    room = match.end() - match.start()
    tail = raw[match.end() : 128]
    fixed = (fresh.encode() + tail.rstrip(b" \n"))[: 128 - match.start() - 1].ljust(room + len(tail) - 1) + b"\n"
    return raw[: match.start()] + fixed + raw[128:]


def _other_array(raw: bytes, rng: random.Random) -> bytes:
    out = io.BytesIO()
    try:
        array = np.lib.format.read_array(io.BytesIO(raw))
        if array.dtype.kind == "U" and array.size == 1 and "{" in str(array.reshape(-1)[0]):
            array = np.array(as_json(str(array.reshape(-1)[0]).encode(), rng).decode("utf-8", "replace"))
        else:
            with np.errstate(all="ignore"):
                array = _reshaped(np.array(array), rng)
        np.lib.format.write_array(out, array, allow_pickle=False)
    except Exception:  # an earlier mutation broke it, or there is no such array
        return as_bytes(raw, rng)
    return out.getvalue()


def _reshaped(array: Any, rng: random.Random) -> Any:
    how = rng.randrange(9)
    if how == 0 and array.ndim:
        return array[..., :0]
    if how == 1:
        return array[np.newaxis]
    if how == 2:
        return array.T
    if how == 3 and array.ndim:
        return np.repeat(array, rng.choice((0, 2, 100)), axis=0)
    if how == 4 and array.dtype.kind != "U":
        return array.astype(rng.choice(("f4", "i4", "u1", "c16", "?", ">f8", "f2", "U5")))
    if how == 5:
        return np.array(rng.choice((0.0, -1, 3, 1e300, float("nan"), "x", "", 2**40, True)))
    if array.dtype.kind == "f" and array.size:
        flat = array.reshape(-1)
        for _ in range(small(rng, 4)):
            flat[rng.randrange(flat.size)] = rng.choice((0.0, 1e300, -1e155, 1e-300, 4.0, float("nan"), float("inf")))
        return flat.reshape(array.shape)
    if array.dtype.kind == "U" and array.size:
        flat = array.reshape(-1).tolist()
        flat[rng.randrange(len(flat))] = rng.choice(WORDS).replace("\0", "")
        return np.array(flat).reshape(array.shape)
    return array
