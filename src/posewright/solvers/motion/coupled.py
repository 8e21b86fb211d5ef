"""Motions of figures with coupled dofs in stretches: leaders are solved for, followers follow, exactly.

Where goals lie below two dofs of one group the tree cannot see that they move as one. Then frames are solved twice:
with these dofs free, and with all of them where the first answer puts the group. What is kept is kept exactly; how
near the goals come is not quite the best.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.problem.couplings import Coupling, Uncoupled, example_weights, uncoupled
from posewright.problem.motion_lowering import Flags, LoweredMotion
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.clip_tracker import Stretches, fits_stretches

_AT_ONCE = 4096
"""Frames whose examples are made consistent at a time."""


class CoupledStretches:
    """Answers stretch after stretch."""

    def __init__(self, lowered: LoweredMotion, held: Uncoupled, solver: LeastSquares) -> None:
        self.warnings: tuple[str, ...] = ()
        self._groups, self._weights = held.groups, example_weights(lowered)
        self._entwined = [group for group in held.groups if group.entwined]
        self._limits = held.lowered.frame.dofs
        self._last = Stretches(held.lowered, solver)
        free = uncoupled(lowered, held=False) if self._entwined else None
        self._first = None if free is None else Stretches(free.lowered, solver)

    def advance(
        self,
        references: Array,
        targets: Array,
        weights: Array,
        held: Flags,
        begins: Flags,
        q: Array,
        info: IntArray,
    ) -> int:
        """Solve some of the next frames."""
        n = min(len(references), _AT_ONCE)
        examples = references[:n].copy()
        for group in self._groups:
            self._settle(group.mean(examples, self._weights), group, examples)
        if self._first is not None:
            n = self._first.advance(examples, targets[:n], weights[:n], held[:n], begins[:n], q[:n], info[:n])
            examples = examples[:n]
            for group in self._entwined:
                self._settle(group.mean(q[:n], np.ones(q.shape[1])), group, examples)
        done = 0
        while done < n:
            part = slice(done, n)
            done += self._last.advance(
                examples[part], targets[part], weights[part], held[part], begins[part], q[part], info[part]
            )
            if self._first is None:
                break
        for group in self._groups:
            group.write(q[:done, group.dofs[0]], q[:done])
            own = self._limits[group.dofs]
            q[:done, group.dofs] = np.clip(q[:done, group.dofs], own["lower"], own["upper"])  # of rounding alone
        return done

    def _settle(self, x: Array, group: Coupling, q: Array) -> None:
        leader = self._limits[group.dofs[0]]
        group.write(np.clip(x, leader["lower"], leader["upper"]), q)


def coupled_stretches(lowered: LoweredMotion, solver: LeastSquares) -> CoupledStretches | None:
    """The quick way to answer a motion problem, if couplings are all that keeps it from `Stretches`."""
    held = uncoupled(lowered)
    if held is None or not fits_stretches(held.lowered):
        return None
    return CoupledStretches(lowered, held, solver)
