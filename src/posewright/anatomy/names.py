"""Joint names without what says nothing about the part: a namespace, or a prefix that all share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from posewright.anatomy.lexicon import HELPERS

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_SEPARATORS = ":|_.- "


def plain_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names without their namespace (`mixamorig:Hips`) and without a prefix that nearly all share (`Bip01 Spine`)."""
    bare = [re.split(r"[:|]", name)[-1] or name for name in names]
    while True:
        heads = Counter(head for name in bare if (head := _head(name)))
        if not heads:
            return tuple(bare)
        prefix, count = heads.most_common(1)[0]
        if count < max(3, 0.8 * len(bare)):
            return tuple(bare)
        bare = [name[len(prefix) :] if name.startswith(prefix) and len(name) > len(prefix) else name for name in bare]


def base_name(name: str) -> str:
    """Lower-case letters and digits alone."""
    return "".join(c for c in name.casefold() if c.isalnum())


def is_helper(name: str) -> bool:
    """Whether a name is that of an end, a control or another thing that is no body part."""
    return name.startswith("__") or any(token.casefold() in HELPERS for token in _TOKEN.findall(name))


def _head(name: str) -> str:
    """The first part of a name up to and with its first separator, if something with a letter follows."""
    at = next((k for k, c in enumerate(name) if c in _SEPARATORS), -1)
    return name[: at + 1] if 0 < at < len(name) - 1 else ""
