"""Long posts in several messages: nothing lost, nothing too long, no code block left open."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator.sinks.splitting import messages, pieces, size

_LINE = st.one_of(
    st.sampled_from(
        [
            "```",
            "```python",
            "~~~",
            "````",
            "  ```js",
            "```a`b```",
            "```one line```",
            "~~~~~",
            "`" * 25,
            "~" * 300,
            "",
        ]
    ),
    st.text(st.sampled_from("ab `~\t#*é\U0001f600\u2028"), max_size=300),
    st.text("x`", min_size=180, max_size=700),
)
TEXTS = st.lists(_LINE, max_size=12).map("\n".join)


def balanced(message: str) -> bool:
    """Whether every code block that the message opens is closed in it, as CommonMark has it (runs up to 20)."""
    mark = ""
    for line in message.split("\n"):
        found = re.match(r"[ \t]{0,8}(`{3,20}(?!`)|~{3,20}(?!~))(.*)$", line)
        if not found:
            continue
        run, info = found.groups()
        if not mark:
            mark = run if run[0] == "~" or "`" not in info else ""
        elif run[0] == mark[0] and len(run) >= len(mark) and not info.strip():
            mark = ""
    return not mark


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.sampled_from([200, 333, 2000]))
def test_splitting_keeps_the_text_the_limit_and_the_fences(text: str, limit: int) -> None:
    """S0.8: no message above the limit, together they are the text, and each closes the code blocks that it opens."""
    found = pieces(text, limit)
    assert "".join(piece.text for piece in found) == text
    for piece in found:
        assert size(piece.message) <= limit
        assert balanced(piece.message)
        assert len(piece.before) + len(piece.after) <= 80
    assert all(message.strip() for message in messages(text, limit))


def test_a_code_block_goes_on_in_the_next_message() -> None:
    """S0.8: closed and opened again in its language; a break stands at a paragraph where one is near."""
    code = "\n".join(f"line_{n} = {n}" for n in range(56))
    first, second, third = messages(f"Before.\n\n```python\n{code}\n```\n\n{'word ' * 30}", 400)
    assert first.startswith("Before.\n\n```python\nline_0 = 0\n")
    assert first.endswith("\n```")
    assert second.startswith("```python\nline_")
    assert second.endswith("\n```\n\n")
    assert third == "word " * 30


def test_short_texts_are_left_alone_and_tiny_limits_refused() -> None:
    """S0.8: one message as it is; a limit that no code block fits into is a mistake."""
    assert messages("a\n\nb", 2000) == ["a\n\nb"]
    assert messages("a" * 5000, 0) == ["a" * 5000]
    assert messages(" \n", 2000) == []
    with pytest.raises(ValueError, match="no room"):
        messages("a", 50)


def test_the_rest_of_a_long_line_is_no_code_block() -> None:
    """S0.8: a line that is cut right before backticks does not open a code block in the next message."""
    found = messages("a" * 320 + "```" + "b" * 30, 400)
    assert len(found) == 2
    assert all(balanced(one) for one in found)
