"""Builds the studio's page into wheels. An editable installation builds it at the first `posewright studio` instead."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """The page, built by `studio/page_build.py`, which imports nothing of the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it and put it where the package looks for it; nothing in an editable installation."""
        if version == "editable":
            return
        path = Path(self.root) / "src" / "posewright" / "studio" / "page_build.py"
        spec = importlib.util.spec_from_file_location("page_build", path)
        assert spec is not None
        assert spec.loader is not None
        page_build = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(page_build)
        scratch = Path(tempfile.mkdtemp(prefix="posewright-page-"))
        page_build.build(scratch / "dist", scratch / "packages", self.app.display_info)
        for file in sorted((scratch / "dist").iterdir()):
            build_data["force_include"][str(file)] = f"posewright/studio/web/dist/{file.name}"
