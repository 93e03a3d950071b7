"""A turn in pieces that the tools of agent CLIs let through: several cut a longer answer in its middle, or hide it in a file.

Imports nothing heavy.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 5_000  # characters; the tightest CLI tested cuts an answer over 10,000 bytes of JSON in its middle


def paged(found: dict[str, Any], start: int = 0) -> dict[str, Any]:
    """A turn with at most MOST characters of what people wrote, from character `start` on; a short one as it is.

    What is counted is the request and then the messages in their order; one that says the same as the request is not
    repeated. While something is left `next` is where it begins, and `more` says what to call.
    """
    request = found.get("request") or ""
    messages = [one for one in found.get("messages") or () if one["body"] != request]
    if not start and len(request) + sum(len(one["body"]) for one in messages) <= MOST:
        return found
    at, end = 0, start + MOST

    def part(text: str) -> str:
        nonlocal at
        piece = text[max(0, start - at) : max(0, end - at)]
        at += len(text)
        return piece

    control = "" if start else found["control"].replace(request, "(the request)")
    out = found | {"request": part(request), "control": control, "messages": []}
    for one in messages:
        if piece := part(one["body"]):
            out["messages"].append(one | {"body": piece})
    if at > end:
        out |= {
            "next": end,
            "more": f"This is a part. Before you answer, call roundtable_turn with from={end}.",
        }
    return out
