"""Match files: small YAML files with the joints of each body part in two figures, to be reviewed and edited by hand.

    format: posewright match
    version: 1
    source: 02_01
    target: human40
    parts:
      pelvis: {source: [Hips], target: [pelvis], confidence: 0.97}
      spine: {source: [LowerBack, Spine, Spine1], target: [waist, back], confidence: 0.95}

Parts that are not listed are found automatically; a part with an empty list has no joints. `confidence` is information
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import ESSENTIAL, PARTS
from posewright.errors import FileProblem, PosewrightError, suggestion
from posewright.figures import Figure
from posewright.formats.atomic import replacing
from posewright.formats.yaml_document import read_yaml
from posewright.matching.joint_match import JointMatch

_HEAD = """\
# The joints of each body part in two figures, from the trunk outwards. Correct what is wrong. An empty list removes a
# part; a part that is not listed is found automatically. Joints of no part stay at rest.
"""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PartModel(_Strict):
    """One part."""

    source: tuple[str, ...] | None = None
    """Joints of the source; left out: found."""
    target: tuple[str, ...] | None = None
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] | None = None

    @field_validator("source", "target")
    @classmethod
    def _known(cls, names: tuple[str, ...] | None, info: ValidationInfo) -> tuple[str, ...] | None:
        figure: Figure = (info.context or {})[info.field_name]
        for name in names or ():
            if name not in figure.joint_names:
                raise ValueError(
                    f"must be joints of the {info.field_name} {figure.name!r}, which has no {name!r}"
                    f"{suggestion(name, figure.joint_names)}"
                )
        return names


class MatchModel(_Strict):
    """The whole file."""

    format: Literal["posewright match"]
    version: Literal[1]
    source: str = ""
    """Name of the source figure; another one with the same joints will do."""
    target: str = ""
    parts: dict[str, PartModel]

    @field_validator("parts", mode="before")
    @classmethod
    def _parts(cls, parts: Any) -> Any:
        unknown = [part for part in parts if part not in PARTS] if isinstance(parts, Mapping) else []
        if unknown:
            raise ValueError(f"must have body parts as keys, not {unknown[0]!r}{suggestion(str(unknown[0]), PARTS)}")
        return parts


def read(path: Path, source: Figure, target: Figure) -> JointMatch:
    """Read a match file for two figures; essential joints may be missing.

    Raises:
        FileProblem: the file is invalid; the message has line, field and the nearest name.
    """
    file = read_yaml(path, "a match file", "format and parts")
    model = file.validated(MatchModel, {"source": source, "target": target})
    try:
        found = []
        for figure, which in ((source, "source"), (target, "target")):
            given = {part: names for part, row in model.parts.items() if (names := getattr(row, which)) is not None}
            found.append(figure.anatomy.with_parts(given))
    except PosewrightError as error:
        raise FileProblem(path, str(error)) from error
    return JointMatch(*found)


def write(match: JointMatch, path: Path) -> None:
    """Write a match, one line per part that is found or essential; joints of no part are listed in comments."""
    lines = ["format: posewright match", "version: 1"]
    lines += [f"{which}: {_quoted(anatomy.figure.name)}" for which, anatomy in _both(match)]
    lines += ["parts:"]
    for part in PARTS:
        found = [(which, anatomy) for which, anatomy in _both(match) if part in anatomy.parts]
        if found or part in ESSENTIAL:
            joints = [
                f"{which}: [{', '.join(map(_quoted, anatomy.parts.get(part, ())))}]" for which, anatomy in _both(match)
            ]
            confidence = min((anatomy.confidence[part] for _, anatomy in found), default=0.0)
            lines.append(f"  {part}: {{{', '.join(joints)}, confidence: {confidence:.2f}}}")
    for which, anatomy in _both(match):
        if anatomy.unmatched:
            lines.append(f"# joints of no part in the {which}: {', '.join(anatomy.unmatched)}")
    with replacing(path) as temporary:
        temporary.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def _both(match: JointMatch) -> tuple[tuple[str, Anatomy], tuple[str, Anatomy]]:
    return ("source", match.source), ("target", match.target)


def _quoted(name: str) -> str:
    """A name as YAML text: plain where nothing in it could mean anything else."""
    plain = name.replace("_", "a").replace("-", "a").isalnum() and name.isascii() and name[0].isalpha()
    if plain and name.casefold() not in ("yes", "no", "on", "off", "true", "false", "null", "y", "n"):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
