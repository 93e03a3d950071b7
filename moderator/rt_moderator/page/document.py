"""A table as one HTML file: nothing else is loaded, no script runs, it reads the same offline and in ten years. Pure."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from rt_moderator.page import templating, views
from rt_moderator.page.index import Index
from rt_moderator.page.scores import Ledger

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_FOLDED_OVER = 200  # messages; then only the last round is open at first


def render_html(snapshot: Reply, messages: Sequence[Reply], ledger: Ledger | None = None) -> str:
    """The file. Its anchors are `#m12`; every participant's word is sanitised; what is degraded stands first."""
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
            ledger=ledger or Ledger(None, []),
            style=Markup(style),  # noqa: S704 (our own file)
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        )
        + "\n"
    )
