"""A table as one HTML file: nothing else is loaded, no script runs, it reads the same offline and in ten years. Pure."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from rt_moderator.page import templating, views
from rt_moderator.page.index import Index
from rt_moderator.page.scores import view

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_FOLDED_OVER = 200  # messages; then only the last round is open at first


def render_html(snapshot: Reply, messages: Sequence[Reply], left: Mapping[str, Any] | None = None) -> str:
    """The file. Its anchors are `#m12`; every participant's word is sanitised; what is degraded stands first.

    `left` is what its format left of scores and points (`scores.of_table`).
    """
    index = Index()
    index.add(messages)
    numbers = {message["seq"]: message for message in messages}

    def href(seq: int) -> str | None:
        return f"#m{seq}" if seq in numbers else None

    around = views.Around.of(snapshot, index)
    rounds = [
        {
            "section": section,
            "open": len(messages) <= _FOLDED_OVER or section.last == index.last,
            "messages": [
                views.article(numbers[seq], around, href)
                for seq in range(section.first, section.last + 1)
                if seq in numbers
            ],
        }
        for section in index.sections()
    ]
    style = (templating.STATIC / "page.css").read_text(encoding="utf-8")
    return (
        templating.render(
            "export.html",
            view=views.overview(snapshot, index, numbers.get, href),
            rounds=rounds,
            ledger=view(left or {}, href),
            style=Markup(style),  # noqa: S704 (our own file)
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        )
        + "\n"
    )
