"""Reading a form: bounded, and only with the token that our pages hold."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

from rt_moderator.web.guard import same

if TYPE_CHECKING:
    from starlette.requests import Request


async def read(request: Request, wanted: str, most: int) -> dict[str, str]:
    """The fields of a form with the token `wanted`; line ends as the record has them.

    Raises:
        HTTPException: 413 for more than `most` bytes, 415 for another kind of body, 403 without the token.
    """
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Send a form.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413, "That is too long.")
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    except ValueError as exc:
        raise HTTPException(400, "That is no form of ours.") from exc
    found = {name: value.replace("\r\n", "\n") for name, value in pairs}
    if not same(found.get("csrf", ""), wanted):
        raise HTTPException(403, "This form is not from the page that is open now. Load the page again.")
    return found
