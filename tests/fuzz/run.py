"""Fuzz all formats, or those named, for some minutes: `python tests/fuzz/run.py MINUTES [FORMAT...]`.

Every core runs a worker. An input that makes a reader say something new joins the corpus of its run. Faults are kept in
a folder, with the input; the counts are printed at the end. With --atheris, inputs are chosen by coverage, one format
after the other, on one core.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from importlib.util import find_spec
from itertools import count
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "support")]

if "--atheris" in sys.argv:
    import atheris

    source = Path(str(find_spec("posewright").origin)).parents[1]
    kernels = (file.relative_to(source).with_suffix("") for file in source.glob("posewright/kernels/**/*.py"))
    counted = atheris.instrument_imports(["posewright"], exclude=[".".join(file.parts) for file in kernels])
else:
    counted = contextlib.nullcontext()
with counted:
    from forked import fork_compiler
    from judge import judged
    from targets import TARGETS, Target

ROUND = 2000
"""Inputs of one format before a worker turns to the next, at a share of 1."""
SILENT = 120
"""Seconds by the clock after which a worker that does not go on is ended."""
MOST_KEPT = 20
"""Faults of one kind that are kept."""


def main() -> None:
    """Run, and fail if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--faults", type=Path, default=Path("fuzz-faults"))
    parser.add_argument("--atheris", action="store_true", help="choose inputs by coverage")
    given = parser.parse_intermixed_args()
    names = given.formats or list(TARGETS)
    given.faults.mkdir(parents=True, exist_ok=True)
    if given.atheris:
        before = set(given.faults.iterdir())
        _by_coverage(names, 60.0 * given.minutes, given.faults)
        sys.exit(1 if set(given.faults.iterdir()) - before else 0)
    counts, faults = _all_workers(names, given)
    for name in names:
        print(f"{name:12s} {counts[name]:>10,} inputs {faults[name]:>6,} faults")
    print(f"{'all':12s} {sum(counts.values()):>10,} inputs {sum(faults.values()):>6,} faults (seed {given.seed})")
    sys.exit(1 if sum(faults.values()) else 0)


def _all_workers(names: list[str], given: argparse.Namespace) -> tuple[Counter[str], Counter[str]]:
    end = time.time() + 60.0 * given.minutes
    totals: list[Path] = []
    running: dict[int, tuple[multiprocessing.Process, Path, Path]] = {}
    lives = count()
    with tempfile.TemporaryDirectory() as scratch:
        while time.time() < end or running:
            for k in range(given.workers):
                if k not in running and time.time() < end:
                    life = next(lives)
                    folder, total = Path(scratch, str(life)), Path(scratch, f"{life}.json")
                    folder.mkdir()
                    totals.append(total)
                    work = (names[k % len(names) :] + names[: k % len(names)], given.seed + life, end, folder, total)
                    running[k] = multiprocessing.Process(target=_work, args=(*work, given.faults)), folder, total
                    running[k][0].start()
            time.sleep(1.0)
            for k, (process, folder, total) in list(running.items()):
                latest = max((file.stat().st_mtime for file in folder.rglob("input*")), default=time.time())
                silent = time.time() - latest > SILENT and time.time() - total.stat().st_mtime > SILENT
                if process.is_alive() and not silent:
                    continue
                died = process.exitcode != 0
                process.kill()
                process.join()
                del running[k]
                if died:
                    _keep_last(folder, given.faults, "hangs" if silent else f"ended with {process.exitcode}")
        counts: Counter[str] = Counter()
        faults: Counter[str] = Counter()
        for total in totals:
            found = json.loads(total.read_text())
            counts.update(found["inputs"])
            faults.update(found["faults"])
    return counts, faults


def _keep_last(folder: Path, faults: Path, what: str) -> None:
    """The input at which a worker died."""
    inputs = sorted(folder.rglob("input*"), key=lambda file: file.stat().st_mtime)
    if inputs:
        print(f"{inputs[-1]}: {what}")
        (faults / f"died-{time.time_ns()}{inputs[-1].suffix}").write_bytes(inputs[-1].read_bytes())


def _work(names: list[str], seed: int, end: float, folder: Path, total: Path, faults: Path) -> None:
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    total.write_text(json.dumps({"inputs": counts, "faults": wrong}))
    fork_compiler()
    pools = {name: TARGETS[name].seeds() for name in names}
    said: set[tuple[str, str]] = set()
    for turn in count():
        for name in names:
            target = TARGETS[name]
            place = folder / name.replace(" ", "_")
            place.mkdir(exist_ok=True)
            path = target.prepare(place)
            inputs = target.inputs(1000 * seed + turn, pools[name])
            for _ in range(max(1, int(ROUND * target.share))):
                data = next(inputs)
                verdict = judged(target.use, path, data)
                counts[name] += 1
                if verdict.fault:
                    wrong[name] += 1
                    _keep(target, data, verdict.fault, faults)
                elif (name, verdict.sentence) not in said and len(data) < 100_000:
                    said.add((name, verdict.sentence))
                    pools[name].append(data)
                if time.time() > end:
                    total.write_text(json.dumps({"inputs": counts, "faults": wrong}))
                    return
            total.write_text(json.dumps({"inputs": counts, "faults": wrong}))


def _keep(target: Target, data: bytes, fault: str, faults: Path) -> None:
    kind = f"{target.name.replace(' ', '_')}-{abs(hash(fault[-200:])) % 10**8}"
    number = len(list(faults.glob(f"{kind}*.txt")))
    if number < MOST_KEPT:
        (faults / f"{kind}-{number}{target.suffix}").write_bytes(data)
        (faults / f"{kind}-{number}.txt").write_text(fault)


def _by_coverage(names: list[str], seconds: float, faults: Path) -> None:
    """One process per format, in which atheris chooses the inputs; it does not return from its own."""
    for name in names:
        process = multiprocessing.Process(target=_covered, args=(TARGETS[name], seconds / len(names), faults))
        process.start()
        process.join()


def _covered(target: Target, seconds: float, faults: Path) -> None:
    folder = Path(tempfile.mkdtemp())
    corpus = folder / "corpus"
    corpus.mkdir()
    for k, seed in enumerate(target.seeds()):
        (corpus / str(k)).write_bytes(seed)
    path = target.prepare(folder)
    fork_compiler()

    def one(data: bytes) -> None:
        verdict = judged(target.use, path, data)
        if verdict.fault:
            _keep(target, data, verdict.fault, faults)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        return target.mutate(data, random.Random(seed))[:most]

    options = [f"-max_total_time={int(seconds)}", "-max_len=200000", "-rss_limit_mb=8000", "-timeout=60"]
    atheris.Setup([sys.argv[0], str(corpus), *options], one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
