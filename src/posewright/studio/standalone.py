"""The page with a recording inside: one HTML file that opens from the disk and asks for nothing."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

from posewright.figures import Figure, Pose
from posewright.formats.atomic import replacing
from posewright.motions import Motion
from posewright.studio.page import page_files
from posewright.studio.recording import recording

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'none'"
)
_UNPACK = """
const packed = document.getElementById("page").textContent.trim();
const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text().then((text) => {
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = text;
  document.head.append(script);
});
"""


def standalone(page: Mapping[str, bytes], recorded: bytes, title: str) -> str:
    """A page as one text.

    Args:
        page: the built page by file name.
        recorded: what it shows, from `recording`.
        title: of the window; any text.
    """
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="{_POLICY}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="dark light" />
<title>{escape(title)}</title>
<style>
{page["studio.css"].decode()}
</style>
</head>
<body>
<script type="text/plain" id="recording">{_packed(recorded)}</script>
<script type="text/plain" id="page">{_packed(page["studio.js"])}</script>
<script type="text/plain" id="licences">{_packed(page["licences.txt"])}</script>
<script>{_UNPACK}</script>
</body>
</html>
"""


def write_standalone(
    path: Path, name: str, shown: Figure | Pose | Motion, say: Callable[[str], None] = lambda step: None
) -> int:
    """Write such a file; how many bytes it has.

    Args:
        path: of the file.
        name: of what is shown.
        shown: what is shown.
        say: told what is done where the page has to be built first.
    """
    text = standalone(page_files(say), recording([(name, shown)]), f"{name} · Posewright").encode()
    with replacing(path) as temporary:
        temporary.write_bytes(text)
    return len(text)


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
