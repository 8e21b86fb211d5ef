"""A program of its own: compiles an MJCF file with MuJoCo and prints what a figure needs of the model, as .npz.

    python mjcf_compiler.py FILE BYTES SECONDS

It imports nothing of Posewright, so that it starts at once. More than BYTES of memory or SECONDS of computing end it,
where the system has such limits. The array `problem` says what MuJoCo refuses, `notes` what it is doubtful about.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from typing import Any

import mujoco
import numpy as np

COUNTS = ("nbody", "njnt", "nsite", "neq")
ARRAYS = (
    *("names", "name_bodyadr", "name_jntadr", "name_siteadr", "qpos0"),
    *("body_rootid", "body_parentid", "body_jntadr", "body_jntnum", "body_geomadr", "body_geomnum"),
    *("body_pos", "body_quat", "body_mass", "body_ipos", "body_iquat", "body_inertia"),
    *("jnt_type", "jnt_bodyid", "jnt_qposadr", "jnt_pos", "jnt_axis", "jnt_limited", "jnt_range"),
    *("geom_type", "geom_contype", "geom_conaffinity", "geom_pos", "geom_quat", "geom_aabb"),
    *("site_bodyid", "site_pos", "site_quat"),
    *("eq_type", "eq_obj1id", "eq_obj2id", "eq_data", "eq_active0"),
)
MASSLESS = 1e-9
"""kg: mass of bodies whose meshes are missing, so that MuJoCo accepts them."""
_FAILED = (ValueError, RuntimeError, MemoryError)


def compiled(path: str, notes: list[str]) -> Any:
    """The model (`mujoco.MjModel`); warnings of MuJoCo are added to the notes."""
    try:
        return _compile(_parsed(path))
    except _FAILED as error:
        if "opening file" not in str(error) or "include" in str(error):
            raise
        return _without_files(path, notes)


def _parsed(path: str) -> Any:
    # As text, because MuJoCo goes by the suffix of a file; what it names lies in the working folder.
    with open(path, "rb") as file:
        data = file.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return mujoco.MjSpec.from_string(text)


def _compile(spec: Any) -> Any:
    spec.memory = 2**20  # what a simulation may use is of no interest here
    return spec.compile()


def _without_files(path: str, notes: list[str]) -> Any:
    """The model without meshes and pictures, of which some are missing."""
    spec = _parsed(path)
    for geom in list(spec.geoms):
        if geom.meshname or geom.hfieldname:
            spec.delete(geom)
        else:
            geom.material = ""
    for unwanted in (spec.sensors, spec.pairs, spec.skins, spec.meshes, spec.hfields, spec.materials, spec.textures):
        for item in list(unwanted):
            spec.delete(item)
    spec.compiler.boundmass, spec.compiler.boundinertia = MASSLESS, 1e-15
    model = _compile(spec)
    bare = [model.body(b).name for b in range(1, model.nbody) if model.body_mass[b] <= MASSLESS]
    note = "mesh files are missing: shapes are guessed from inertias"
    notes.append(note + (f"; bodies without <inertial> have no mass: {', '.join(bare[:5])}" if bare else ""))
    return model


def _limit(n_bytes: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        with open("/proc/self/statm") as file:  # what is mapped so far: libraries
            n_bytes += int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def _plain(text: str | bytes) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    lines = [line.strip() for line in words.replace("XML Error:", "").splitlines()]
    return "; ".join(line.removeprefix("Error:").strip() for line in lines if line)[:300]


def main() -> None:
    """Compile the named file."""
    path, n_bytes, seconds = sys.argv[1:]
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that nothing else is in the output
    _limit(int(n_bytes), int(seconds))
    notes: list[str] = []
    said: list[str] = []
    found: dict[str, Any] = {}
    # Left alone, MuJoCo would write its warnings to a file in the working folder.
    mujoco.set_mju_user_warning(lambda text: said.append(_plain(text)))
    with warnings.catch_warnings(record=True) as caught:
        try:
            model = compiled(path, notes)
            found = {name: np.asarray(getattr(model, name)) for name in (*COUNTS, *ARRAYS)}
            found["names"] = np.frombuffer(bytes(model.names), np.uint8)
        except _FAILED as error:
            found["problem"] = np.array(_plain(str(error)) or "it needs too much memory")
    notes += [f"MuJoCo: {text}" for text in (*said, *(_plain(str(warning.message)) for warning in caught))]
    memory = io.BytesIO()
    np.savez(memory, notes=np.array(notes, dtype=np.str_), **found)
    output.write(memory.getvalue())
    output.close()


if __name__ == "__main__":
    main()
