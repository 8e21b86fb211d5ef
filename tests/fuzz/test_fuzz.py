"""Whatever a file holds, it is read or refused in one sentence; `.ci/fuzz MINUTES` looks for longer."""

from itertools import islice
from pathlib import Path

import pytest
from judge import judged
from targets import TARGETS

COUNT = 400


@pytest.mark.parametrize("name", TARGETS)
def test_every_input_is_read_or_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    path = target.prepare(tmp_path)
    n_seeds, sentences = len(target.seeds()), set()
    for k, data in enumerate(islice(target.inputs(seed=0), max(20, int(COUNT * target.share)))):
        verdict = judged(target.use, path, data)
        assert not verdict.fault, f"input {k} of {name}: {verdict.fault}"
        assert k >= n_seeds or verdict.sentence == "read", f"the corpus itself is refused: {verdict.sentence}"
        sentences.add(verdict.sentence)
    assert len(sentences) > 3, "the inputs hardly differ"
