"""The shape of the source: folders that can be read at a glance, one idea in one place, names that mean one thing."""

import ast
import importlib
import inspect
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import posewright

SOURCE = Path(posewright.__file__).parent
RUN = 6
"""Lines that may not stand twice, one after another."""


def test_no_folder_has_more_than_25_files():
    folders = {path.parent for path in SOURCE.rglob("*.*") if "__pycache__" not in path.parts}
    counts = {folder: sum(path.is_file() for path in folder.iterdir()) for folder in folders}
    assert {str(folder.relative_to(SOURCE)): count for folder, count in counts.items() if count > 25} == {}


def test_no_two_public_classes_share_a_name():
    packages = [SOURCE.name, *(one.name for one in pkgutil.walk_packages([str(SOURCE)], "posewright.") if one.ispkg)]
    classes = defaultdict(set)
    for package in packages:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            if inspect.isclass(found := getattr(module, name)):
                classes[name].add(found)
    assert len(classes) > 80
    assert {name: found for name, found in classes.items() if len(found) > 1} == {}


def test_no_six_lines_stand_twice():
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for number, lines in runs(path.read_text(encoding="utf-8")):
            places[lines].append(f"{path.relative_to(SOURCE)}:{number}")
    assert len(places) > 20_000
    assert [found for found in places.values() if len(found) > 1] == []


def test_six_lines_that_stand_twice_are_found_and_declarations_are_none():
    body = [f"    value_{k} = call(value_{k - 1})" for k in range(RUN)]
    twice = "\n".join(["def one(a):", *body, "", "def two(a):", *body])
    assert len({lines for _, lines in runs(twice)}) < len([*runs(twice)])
    declared = "\n".join(f"def {name}(\n" + "".join(f"    a{k}=0,\n" for k in range(9)) + "): ..." for name in "ab")
    assert [*runs(declared)] == []


def runs(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each run of lines of code with the number of its first; without imports, lists of parameters and fields."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            left_out.update(range(node.lineno, node.body[0].lineno))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            left_out.update(lines_of(node))
        elif isinstance(node, ast.ClassDef):
            for field, described in pairwise([*node.body, ast.Pass()]):
                if isinstance(field, ast.AnnAssign):
                    left_out.update(lines_of(field))
                    left_out.update(lines_of(described) if isinstance(described, ast.Expr) else ())
    stripped = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    code = [
        (number, line)
        for number, line in stripped
        if number not in left_out and any(map(str.isalnum, line)) and not line.startswith("#")
    ]
    for k in range(len(code) - RUN + 1):
        yield code[k][0], tuple(line for _, line in code[k : k + RUN])


def lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
