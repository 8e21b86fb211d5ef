"""Requests read and replies written, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from posewright.errors import InvalidSetting
from posewright.studio.protocol.catalogue import REQUESTS
from posewright.studio.protocol.request import Request
from posewright.studio.protocol.version import LARGEST_REQUEST
from posewright.studio.session.codec import sentence


@cache
def _reader() -> TypeAdapter[Request]:
    union: Any = reduce(or_, REQUESTS)
    return TypeAdapter(Annotated[union, Field(discriminator="kind")])


def read_request(text: str) -> Request:
    """A request from what arrived.

    Raises:
        InvalidSetting: it is too long, or not a request; the sentence says what is wrong.
    """
    if len(text) > LARGEST_REQUEST:
        raise InvalidSetting(f"the request has {len(text)} characters; {LARGEST_REQUEST} are accepted")
    try:
        return _reader().validate_json(text)
    except ValidationError as error:
        raise InvalidSetting(f"the request cannot be read: {sentence(error)}") from None


def request_id(text: str) -> int | None:
    """The id of a request that could not be read otherwise."""
    try:
        found = json.loads(text).get("id") if len(text) <= LARGEST_REQUEST else None
    except (ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def write_reply(reply: Any) -> str:
    """A reply as JSON."""
    return json.dumps(asdict(reply), allow_nan=False, separators=(",", ":"))
