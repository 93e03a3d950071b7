"""A participant's Markdown as HTML that can do nothing: no script, no style, no image, no name of its own. Pure.

Twice: markdown-it-py escapes raw HTML, and nh3 then keeps a short list of elements. Control characters and the marks that
turn the direction of text around are gone before either sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from rt_moderator.citations import CITATION
from rt_participant import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.rules_core import StateCore

Href = Callable[[int], "str | None"]
"""Where the message with that number is on the page; None when there is no such message."""

MOST_MARKDOWN = 40_000
"""Characters of a body that are read as Markdown; a longer one is shown as it was written."""

_LINE_MOST = 10_000  # one line longer than this is data, and no prose
_MARKS_MOST = 2_000  # nested or unclosed marks cost the parser the square of their number
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "class"}, "ol": {"start"}}
_SCROLLING = {  # what is wider than the page is scrolled, by keyboard too
    "<pre>": '<pre tabindex="0">',
    "<table>": '<div class="scroll" tabindex="0" role="group" aria-label="table"><table>',
    "</table>": "</table></div>",
}
_SCHEMES = {"http", "https", "mailto"}
_ABROAD = ("http://", "https://", "mailto:")
_OPENS = {"link_open": 1, "link_close": -1}


def render(body: str, href: Href, top: int = 4) -> Markup:
    """`body` as HTML for inside an article; `m12` is a link to where `href` says.

    Guarantees: of the participant's text only words come through, and links to http, https and mailto. Headings begin at
    level `top`, because the page has the ones above, and skip none. What is too long or too entangled to be read as Markdown is shown as written.
    """
    text = show.plain(body)
    if not _readable(text):
        return Markup('<pre class="as-written" tabindex="0">{}</pre>').format(text)
    own: set[str] = set()
    html = _parser().render(text, {"href": _noting(href, own), "top": top})

    def attribute(tag: str, name: str, value: str) -> str | None:
        if tag == "a" and name == "href":
            return value if value in own or value.lower().startswith(_ABROAD) else None
        allowed = name in _ATTRIBUTES.get(tag, ()) and (name != "class" or value == "cite")
        return value if allowed else None  # nh3 would let title and lang pass

    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
        attribute_filter=attribute,
    )
    for ours, scrolling in _SCROLLING.items():
        clean = clean.replace(ours, scrolling)
    return Markup(clean)  # noqa: S704 (nh3 made it, and we after it)


def words(text: object, most: int = 300) -> str:
    """`text` as one line without control characters; the template escapes it."""
    return show.line(str(text), most)


def gist(body: str, href: Href, most: int = 300) -> Markup:
    """What a message says first, as one line with its citations linked."""
    return linked(show.gist(body, most), href)


def linked(text: str, href: Href) -> Markup:
    """Plain words, escaped, with their citations linked."""
    parts = (
        Markup('<a class="cite" href="{}">{}</a>').format(target, piece) if target else escape(piece)
        for piece, target in _cited(text, href)
    )
    return Markup("").join(parts)


def _noting(href: Href, own: set[str]) -> Href:
    """`href`, with what it says kept in `own`: no link of a participant leads to a place of ours that it was not given."""

    def noted(seq: int) -> str | None:
        target = href(seq)
        if target is not None:
            own.add(target)
        return target

    return noted


def _readable(text: str) -> bool:
    if len(text) > MOST_MARKDOWN:
        return False
    marks = sum(map(text.count, "[*_`~<"))
    return marks <= _MARKS_MOST and max(map(len, text.split("\n"))) <= _LINE_MOST


@cache
def _parser() -> MarkdownIt:
    found = MarkdownIt("commonmark", {"html": False, "breaks": False}).enable(["table", "strikethrough"])
    found.disable("image")  # would fetch something from somewhere; its text stays
    found.core.ruler.push("citations", _link_citations)
    found.core.ruler.push("levels", _lower_headings)
    return found


def _lower_headings(state: StateCore) -> None:
    above: list[int] = []
    for token in state.tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
            while above and above[-1] >= level:
                above.pop()
            above.append(level)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, state.env['top'] - 1 + len(above))}"


def _link_citations(state: StateCore) -> None:
    """Link every m12 of the running text; code and links stay as they are."""
    href: Href = state.env["href"]
    for token in state.tokens:
        if token.type == "inline" and token.children and CITATION.search(token.content):
            token.children = list(_with_links(token.children, href))


def _with_links(children: Sequence[Token], href: Href) -> Iterator[Token]:
    depth = 0
    for token in children:
        depth += _OPENS.get(token.type, 0)
        if token.type != "text" or depth:
            yield token
            continue
        for piece, target in _cited(token.content, href):
            yield from _link(piece, target) if target else (_text(piece),)


def _cited(text: str, href: Href) -> Iterator[tuple[str, str | None]]:
    """The text in pieces; of a citation also where it leads."""
    at = 0
    for found in CITATION.finditer(text):
        target = href(int(found[1]))
        if target is None:
            continue
        yield text[at : found.start()], None
        yield found[0], target
        at = found.end()
    yield text[at:], None


def _link(piece: str, target: str) -> tuple[Token, Token, Token]:
    opened = Token("link_open", "a", 1, attrs={"href": target, "class": "cite"})
    return opened, _text(piece), Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
