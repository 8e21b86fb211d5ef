"""Checks of arguments: one sentence that says what must be given and what was."""

import math

import numpy as np
import pytest

from posewright.checks import require_array, require_choice, require_list, require_number
from posewright.errors import FileProblem, Infeasible, InvalidMotion, InvalidSetting, MissingExtra, UnknownName

NUMBERS = {
    "w must be a finite number, got nan": (math.nan, {}),
    "w must be a finite number, got '1'": ("1", {}),
    "w must be a number, got nan": (math.nan, {"finite": False}),
    "w must be a positive number of metres, got 0": (0, {"above": 0, "unit": "metres"}),
    "w must be a number, not negative, got -1": (-1, {"at_least": 0}),
    "w must be a number from 0 to 1, got 1.5": (1.5, {"at_least": 0, "at_most": 1}),
    "w must be a number above 0 and at most 1, got 0": (0, {"above": 0, "at_most": 1}),
    "w must be a number at least 0 and below 2, got 2": (2, {"at_least": 0, "below": 2}),
    "w must be a whole number at least 1, got 1.0": (1.0, {"whole": True, "at_least": 1}),
    "w must be even, got 3": (3, {"accepted": "even", "ok": lambda value: value % 2 == 0}),
}
ARRAYS = {
    "p must be an array (3,) of finite numbers, got 'here'": ("here", (3,)),
    "p must be an array (3,) of finite numbers, got one of shape (2,)": ([1, 2], (3,)),
    "p must be an array (frames, 3) of finite numbers, got nan at [1, 2]": (
        [[1, 2, 3], [4, 5, math.nan]],
        ("frames", 3),
    ),
}


@pytest.mark.parametrize("sentence", NUMBERS)
def test_a_number_out_of_range_is_refused(sentence):
    value, accepted = NUMBERS[sentence]
    with pytest.raises(InvalidSetting) as caught:
        require_number(value, "w", **accepted)
    assert str(caught.value) == sentence


def test_a_number_in_range_passes():
    require_number(np.float32(0.5), "w", above=0, below=1)
    require_number(np.int64(3), "w", whole=True, at_least=3, at_most=3)
    require_number(math.inf, "w", finite=False, above=0)


@pytest.mark.parametrize("sentence", ARRAYS)
def test_an_array_of_another_shape_is_refused(sentence):
    values, shape = ARRAYS[sentence]
    with pytest.raises(InvalidSetting) as caught:
        require_array(values, shape, "p")
    assert str(caught.value) == sentence


def test_an_accepted_array_is_a_read_only_copy():
    given = np.zeros((2, 3), order="F")
    found = require_array(given, ("frames", 3), "p")
    assert found.flags.c_contiguous
    assert not found.flags.writeable
    assert require_array(found, (2, 3), "p") is found


def test_a_list_of_another_kind_is_refused():
    require_list(["a", "b"], "names", "names", str)
    with pytest.raises(InvalidSetting, match="names must be a list of words, got 'a'"):
        require_list("a", "names", "words")
    with pytest.raises(InvalidSetting, match="names must be a list of words, got 3 in it"):
        require_list(["a", 3], "names", "words", str)


def test_a_choice_suggests_the_nearest_word():
    require_choice("left", "side", ["left", "right"])
    with pytest.raises(InvalidSetting, match=r"side must be 'left' or 'right', got 'lefft'; did you mean 'left'\?"):
        require_choice("lefft", "side", ["left", "right"])
    with pytest.raises(InvalidSetting, match=r"side must be .left. or .right., got 3$"):
        require_choice(3, "side", ["left", "right"])


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "\u202etxt.bvh", "\udce9", "a\tb\0c", "\u2028"])
def test_sentences_have_one_line_whatever_names_they_quote(name):
    for error in (FileProblem(name, f"holds {name}"), InvalidMotion(name * 200)):
        assert str(error).isprintable()
        assert len(str(error)) <= 300
        str(error).encode()


def test_sentences_have_at_most_300_letters():
    for error in (
        InvalidSetting("x" * 1000),
        UnknownName("site", "y" * 5000, ["hand"] * 50, where="figure " + "z" * 400),
        FileProblem("/" + "folder/" * 200, "is no motion", line=3),
        Infeasible(tuple(f"constraint {k}" for k in range(200))),
        MissingExtra("a" * 500, "nlopt", "solvers"),
    ):
        assert len(str(error)) == 300
        assert str(error).endswith("…")
    assert str(InvalidSetting("short")) == "short"
