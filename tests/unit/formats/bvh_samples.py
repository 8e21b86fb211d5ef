"""BVH texts made for the tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np


@dataclass
class Sample:
    """A small figure of a person's proportions, in a unit and with an up axis of choice."""

    unit: float = 0.01
    up: str = "y"
    root_channels: str = "Xposition Yposition Zposition Zrotation Yrotation Xrotation"
    channels: dict[str, str] = field(default_factory=dict)
    """Of joints that differ from Zrotation Yrotation Xrotation."""
    root_offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    frames: int = 5
    seed: int = 1
    end_sites: bool = True
    names: dict[str, str] = field(default_factory=dict)
    digits: int = 6

    # name, parent, offset in metres with y up
    JOINTS = (
        ("Hips", None, (0.0, 0.0, 0.0)),
        ("Spine", "Hips", (0.0, 0.12, 0.0)),
        ("Head", "Spine", (0.0, 0.45, 0.02)),
        ("LeftArm", "Spine", (0.2, 0.4, 0.0)),
        ("LeftHand", "LeftArm", (0.55, 0.0, 0.0)),
        ("LeftLeg", "Hips", (0.1, -0.05, 0.0)),
        ("LeftFoot", "LeftLeg", (0.0, -0.8, 0.0)),
        ("RightLeg", "Hips", (-0.1, -0.05, 0.0)),
        ("RightFoot", "RightLeg", (0.0, -0.8, 0.0)),
    )
    TIPS: ClassVar = {
        "Head": (0.0, 0.2, 0.0),
        "LeftHand": (0.1, 0.0, 0.0),
        "LeftFoot": (0, -0.05, 0.2),
        "RightFoot": (0, -0.05, 0.2),
    }

    def offset(self, vector: tuple[float, float, float]) -> str:
        x, y, z = vector
        turned = (x, y, z) if self.up == "y" else (x, -z, y)
        return " ".join(f"{value / self.unit:.{self.digits}f}" for value in turned)

    def channel_names(self, joint: str) -> list[str]:
        usual = self.root_channels if joint == "Hips" else "Zrotation Yrotation Xrotation"
        return self.channels.get(joint, usual).split()

    def hierarchy(self) -> str:
        lines = ["HIERARCHY"]

        def block(name: str, depth: int) -> None:
            tabs = "\t" * depth
            lines.append(f"{tabs}{'JOINT' if depth else 'ROOT'} {self.names.get(name, name)}")
            lines.append(tabs + "{")
            own = next(offset for joint, _, offset in self.JOINTS if joint == name)
            lines.append(f"{tabs}\tOFFSET {self.offset(own if depth else self.root_offset)}")
            channels = self.channel_names(name)
            lines.append(f"{tabs}\tCHANNELS {len(channels)} {' '.join(channels)}".rstrip())
            children = [joint for joint, parent, _ in self.JOINTS if parent == name]
            for child in children:
                block(child, depth + 1)
            if not children and self.end_sites:
                lines.extend([f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\tOFFSET {self.offset(self.TIPS[name])}"])
                lines.append(f"{tabs}\t}}")
            lines.append(tabs + "}")

        block("Hips", 0)
        return "\n".join(lines)

    def depth_first(self) -> list[str]:
        return [
            line.split(None, 1)[1] for line in self.hierarchy().splitlines() if line.split()[0] in ("ROOT", "JOINT")
        ]

    def values(self) -> np.ndarray:
        """(frames, channels): smooth rotations, the hips at their height."""
        rng = np.random.default_rng(self.seed)
        time = np.arange(self.frames)[:, None] / 10.0
        columns = []
        vertical = "Y" if self.up == "y" else "Z"
        for name, _, offset in self.JOINTS:
            x, y, z = offset
            turned = dict(zip("XYZ", (x, y, z) if self.up == "y" else (x, -z, y), strict=True))
            for channel in self.channel_names(name):
                wave = np.sin(time + rng.uniform(0, 6)) * rng.uniform(5, 40)
                if channel.endswith("rotation"):
                    columns.append(wave)
                elif name == "Hips":
                    columns.append((0.9 + 0.0005 * wave if channel[0] == vertical else 0.01 * wave) / self.unit)
                else:
                    columns.append(np.full_like(wave, turned[channel[0]] / self.unit))
        names = [joint for joint, _, _ in self.JOINTS]
        assert self.depth_first() == [self.names.get(name, name) for name in names]
        return np.round(np.concatenate(columns, axis=1), self.digits)

    def motion(self) -> str:
        values = self.values()
        rows = [" ".join(f"{value:.{self.digits}f}" for value in row) for row in values]
        return "\n".join(["MOTION", f"Frames: {len(values)}", "Frame Time: 0.0333333", *rows])

    def text(self) -> str:
        return f"{self.hierarchy()}\n{self.motion()}\n"
