"""How figures move. `Motion` is loaded with the package, what measures it on first use: readers of files do without."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from posewright.motions.motion import Motion

if TYPE_CHECKING:
    from posewright.motions.contacts import Contacts, ContactSettings
    from posewright.motions.floor import Floor
    from posewright.motions.library import MotionLibrary
    from posewright.motions.quality import Measure, QualityLimits, QualityReport
    from posewright.motions.speeds import JointRates

__all__ = [
    "ContactSettings",
    "Contacts",
    "Floor",
    "JointRates",
    "Measure",
    "Motion",
    "MotionLibrary",
    "QualityLimits",
    "QualityReport",
]
_HOME = {"JointRates": "speeds", "Floor": "floor", "MotionLibrary": "library"}
_HOME |= dict.fromkeys(("Contacts", "ContactSettings"), "contacts")
_HOME |= dict.fromkeys(("Measure", "QualityLimits", "QualityReport"), "quality")


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'posewright.motions' has no attribute {name!r}")
    return getattr(import_module(f"posewright.motions.{_HOME[name]}"), name)
