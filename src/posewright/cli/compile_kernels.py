"""`posewright compile`: compile the kernels of the solvers now rather than at their first solve."""

from __future__ import annotations

from typing import Annotated

import typer


def compile_kernels(
    solvers: Annotated[
        list[str] | None, typer.Argument(metavar="[SOLVER]...", help="Solvers to compile (default: all).")
    ] = None,
) -> None:
    """Compile the kernels of the solvers now, on all cores.

    This is needed once per machine and release, and takes about half a minute. A solve compiles whatever is missing;
    use this when installing, or before a demonstration.

    For example:
        posewright compile
        posewright compile least_squares prioritized
    """
    import time

    from posewright.solvers.warm_up import warm_up

    began = time.perf_counter()

    def beginning(solver: str) -> None:
        typer.echo(f"posewright: compiling {solver} ...", err=True)

    warm_up(solvers, progress=beginning)
    typer.echo(f"all kernels are compiled ({time.perf_counter() - began:.1f} s)")
