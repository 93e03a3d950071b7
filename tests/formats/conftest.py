"""What the format tests share: the toy format, with its prompts beside the real ones."""

from __future__ import annotations

from collections.abc import Iterator

import jinja2
import pytest

from rt_moderator import formats
from rt_moderator.engine import prompts

PROMPTS = {
    "toy_first.md": "{{ topic }}\n\nSay a word, in at most 10 words.\n",
    "toy_second.md": "How many? A number in the first line. {{ drawn }}\n",
    "toy_again.md": "{{ problem }}. A number in the first line, please. {{ drawn }}\n",
}


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of the toy format, which is known while the test runs."""
    monkeypatch.setitem(formats.MODULES, "toy", "tests.formats.toy")
    environment = prompts._environment()  # the one place where templates come from
    before = environment.loader
    assert before is not None
    environment.loader = jinja2.ChoiceLoader([jinja2.DictLoader(PROMPTS), before])
    yield "toy"
    environment.loader = before
