"""`posewright compile`: compile the kernels of the solvers now rather than at their first solve."""

from __future__ import annotations

import click

from posewright.cli import options


@click.command(cls=options.CommandWithExamples)
@click.argument("solvers", metavar="[SOLVER]...", nargs=-1)
def compile_kernels(solvers: tuple[str, ...]) -> None:
    """Compile the kernels of the solvers now, on all cores.

    SOLVER names those to compile (default: all).

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
        click.echo(f"posewright: compiling {solver} ...", err=True)

    warm_up(solvers or None, progress=beginning)
    click.echo(f"all kernels are compiled ({time.perf_counter() - began:.1f} s)")
