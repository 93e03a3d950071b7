"""Participants' Markdown as HTML: what comes through and what never does."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_moderator.page.markup import MOST_MARKDOWN, gist, render


def known(seq: int) -> str | None:
    """A record of 12 messages."""
    return f"#m{seq}" if seq <= 12 else None


class Seen(HTMLParser):
    """Every element and attribute of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs


HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)", "[x](vbscript:x)", "![x](http://evil.example/a.png)",
    "[x](//evil.example)", "[x](/t/other/decide)", "[x](?token=1)", "<http://a onmouseover=alert(1)>",
    '[x](http://a "onmouseover=alert(1)")', "<a href='javascript:alert(1)'>x</a>", "<style>*{display:none}</style>",
    "</div></article><form action=/t/x/say>", "```\n</code></pre><script>1</script>\n```", "<svg/onload=alert(1)>",
    "[m1]: javascript:alert(1)\n\n[m1]", '<p id="page" data-csrf="x">', "&#60;script&#62;alert(1)", "<!-- --><script>1</script>",
]  # fmt: skip
ALLOWED = re.compile(r"(https?://|mailto:|#m\d+$)")


@pytest.mark.parametrize("body", [*HOSTILE, "\n\n".join(HOSTILE)])
def test_nothing_a_participant_writes_can_act(body: str) -> None:
    """S0.9: no script, no image, no form, no foreign scheme, no id, no style, no path of ours."""
    harmless(render(body, known))


@given(
    st.lists(st.sampled_from([*HOSTILE, "m1", "`", "[", "](", "\n", "<", "> ", "| a |\n|-|\n"]), max_size=12)
)
def test_no_mixture_can_act_either(parts: list[str]) -> None:
    """S0.9: the same for any concatenation of hostile pieces."""
    harmless(render("".join(parts), known))


def harmless(html: str) -> None:
    """Only words and outward links are in there."""
    seen = Seen(html)
    assert not seen.tags & {
        "script",
        "img",
        "style",
        "form",
        "svg",
        "input",
        "iframe",
        "article",
        "h1",
        "h2",
        "h3",
    }
    for name, value in seen.attributes:
        assert name in {"href", "rel", "class", "start", "tabindex", "role", "aria-label"}
        assert name != "href" or ALLOWED.match(value or ""), value
        assert name != "class" or value in {"cite", "as-written", "scroll"}


def test_control_characters_and_turned_text_are_gone() -> None:
    """S0.9: escape sequences lose their escape, overrides and isolates are no more; undecodable bytes are marked."""
    html = render("a\x1b[31mb \u202egnp.exe\u202c \u2066x\u2069 \x07\x9b \udcff", known)
    assert html == "<p>a[31mb gnp.exe x  �</p>\n"


@pytest.mark.parametrize(
    ("body", "linked"),
    [
        ("see m2 and (m12), m2.", ["m2", "m12", "m2"]),
        ("m13 does not exist; am2, m2x and x/m2 are words", []),
        ("`m2` and\n\n    m2\n\n```\nm2\n```", []),
        ("[m2](http://a.example) **m3**", ["m3"]),
        ("| a |\n|---|\n| m4 |", ["m4"]),
        ("## m5", ["m5"]),
    ],
)
def test_numbers_of_messages_that_exist_are_links(body: str, linked: list[str]) -> None:
    """S1.14: m12 in running text leads to #m12; in code, in a link, or beyond the record it is text."""
    html = render(body, known)
    assert re.findall(r'<a href="#m\d+" class="cite"[^>]*>(m\d+)</a>', html) == linked


def test_raw_html_is_shown_as_it_was_typed() -> None:
    """A participant who writes tags means them to be read: they are text, and nothing is swallowed."""
    assert render("<b>x</b> <u>y", known) == "<p>&lt;b&gt;x&lt;/b&gt; &lt;u&gt;y</p>\n"


def test_headings_stay_below_the_page() -> None:
    """A participant's headings begin at h4, whatever they wrote."""
    assert re.findall(r"<(h\d)>", render("# a\n\n## b\n\n###### c", known)) == ["h4", "h5", "h6"]
    assert re.findall(r"<(h\d)>", render("### a\n\n# b\n\n### c", known, 3)) == ["h3", "h3", "h4"]


@pytest.mark.parametrize(
    "body", ["x" * (1 << 20), "[" * 30_000, "*a " * 20_000, "m1 " * (MOST_MARKDOWN // 2)]
)
def test_what_would_cost_too_much_is_shown_as_written(body: str) -> None:
    """A mebibyte on one line, or marks without end, come back whole, escaped, in next to no time."""
    html = render(body + "<b>", known)
    assert html.startswith('<pre class="as-written" tabindex="0">')
    assert html.endswith("&lt;b&gt;</pre>")
    assert len(html) > len(body)


def test_the_gist_is_one_escaped_line_with_links() -> None:
    """The first words of a reply, its citations linked."""
    assert gist("## Position\n\n<b>No</b>, see m2 and m99.", known) == (
        '&lt;b&gt;No&lt;/b&gt;, see <a class="cite" href="#m2">m2</a> and m99.'
    )
