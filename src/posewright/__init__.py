"""Posewright: pose, retarget and edit highly articulated figures.

The public names are listed in `__init__.pyi`, where type checkers look too; each is loaded on first use, so that
`import posewright` is quick.
"""

import ast
import importlib
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

_stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_HOME_OF = {name.name: node.module for node in _stub.body if isinstance(node, ast.ImportFrom) for name in node.names}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'posewright' has no attribute {name!r}")
    module = importlib.import_module(home)
    is_module = home == __name__ or not hasattr(module, name)
    return importlib.import_module(f"{home}.{name}") if is_module else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
