"""Posewright: pose, retarget and edit highly articulated figures.

The public names are listed in `__init__.pyi`, where type checkers look too; each is loaded on first use, so that
`import posewright` is quick.
"""

import ast
from pathlib import Path

from posewright.lazy import loader

__version__ = "0.1.0"

_stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_HOME_OF = {
    name.name: node.module or "" for node in _stub.body if isinstance(node, ast.ImportFrom) for name in node.names
}

__all__ = list(_HOME_OF)


__getattr__ = loader(__name__, _HOME_OF)


def __dir__() -> list[str]:
    return __all__
