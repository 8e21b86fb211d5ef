import importlib
import subprocess
import sys

import posewright


def test_every_public_name_exists_and_is_listed_once():
    assert len(set(posewright.__all__)) == len(posewright.__all__)
    for name in posewright.__all__:
        assert getattr(posewright, name) is not None


def test_the_public_face_is_small_and_its_classes_have_names_of_their_own():
    assert len(posewright.__all__) <= 55


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(posewright, "no_such_name")


def test_the_packages_all_lists_are_true():
    for package in (
        "constraints",
        "figures",
        "motions",
        "formats",
        "matching",
        "goals",
        "problem",
    ):
        module = importlib.import_module(f"posewright.{package}")
        assert all(hasattr(module, name) for name in module.__all__)


def test_importing_loads_neither_numba_nor_numpy():
    code = "import sys, posewright; print([m for m in ('numba', 'numpy', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_named_submodules_are_loaded_when_asked_for():
    assert posewright.figures.kinematics.site_frames is not None
    assert posewright.figures.catalogue.human is not None
    assert posewright.clips.walk is not None
    assert posewright.errors.UnknownName is not None
