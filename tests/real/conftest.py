"""Real recordings, where they are present: $POSEWRIGHT_DATA, or ../shared/data beside the repository."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the recordings; tests that need it are skipped where it is not."""
    chosen = os.environ.get("POSEWRIGHT_DATA")
    folder = Path(chosen) if chosen else Path(__file__).parents[3] / "shared" / "data"
    if not (folder / "cmu").is_dir():
        pytest.skip("no recordings here; set POSEWRIGHT_DATA")
    return folder
