"""What every request has in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a page asks for; each is answered by `done` or `error` with its id."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    id: Annotated[int, Field(ge=0, lt=2**53)]
    """Counted by the page."""
