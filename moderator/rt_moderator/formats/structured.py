"""Structured replies: one pydantic model validates a reply and makes the schema that is shown for it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, WithJsonSchema

M = TypeVar("M", bound=BaseModel)
_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_MOST_STARTS = 40  # places where an object may begin in running text


def _seq(value: Any) -> Any:
    found = re.fullmatch(r"m?([1-9][0-9]{0,17})", str(value).strip()) if not isinstance(value, bool) else None
    return int(found[1]) if found else value


Message = Annotated[
    int,
    BeforeValidator(_seq),
    Field(ge=1),
    WithJsonSchema({"type": "string", "pattern": "^m[1-9][0-9]*$"}),
]
"""A message number, written m12 or 12."""


def read(model: type[M], text: str) -> M:
    """What `text` holds of `model`: as the whole text, in a code block (the last one counts), or in running text.

    Raises:
        ValueError: nothing in it fits; says in one line what is wrong with the likeliest place.
    """
    wrong = ""
    for found in objects(text):
        try:
            return model.model_validate(found)
        except ValidationError as exc:
            wrong = wrong or _first(exc)
    raise ValueError(wrong or "there is no JSON object in it")


def objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in `text`, the likeliest first. Never raises."""
    whole = text.strip()
    blocks = [found[2] for found in _FENCED.finditer(text)]
    for candidate in (whole, *reversed(blocks)):
        found = _loaded(candidate)
        if isinstance(found, dict):
            yield found
    yield from _running(whole)


def schema(model: type[BaseModel]) -> str:
    """The JSON schema of `model` as it is shown: what is validated, without titles."""
    made = _untitled(model.model_json_schema())
    lines = [f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in made.pop("properties", {}).items()]
    rest = json.dumps(made)[1:]
    return '{"properties": {\n' + ",\n".join(lines) + "\n}, " + rest


def shape(model: type[BaseModel]) -> str:
    """The same in one line, for a reminder: {"intent": [string], "confidence": number}."""
    made = model.model_json_schema()
    return _shape(made, made.get("$defs", {}))


def example(model: type[BaseModel]) -> str:
    """An object that `model` takes, with the descriptions of its fields as values: for whoever writes the first one."""
    made = model.model_json_schema()
    return json.dumps(_example(made, made.get("$defs", {})), indent=1, ensure_ascii=False)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _running(text: str) -> Iterator[dict[str, Any]]:
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_MOST_STARTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        yield found
        at = end


def _first(exc: ValidationError) -> str:
    """The first errors in one line, without the input: it is a participant's text."""
    said = []
    for error in exc.errors(include_url=False, include_input=False)[:3]:
        where = ".".join(str(part) for part in error["loc"])
        said.append(f"{where}: {error['msg']}" if where else str(error["msg"]))
    return "; ".join(said)


def _untitled(node: Any, *, names: bool = False) -> Any:
    """`node` without what pydantic adds for readers; `names`: its keys are names of fields, not words of JSON schema."""
    if isinstance(node, dict):
        kept = {key: value for key, value in node.items() if names or key not in ("title", "description")}
        return {
            key: _untitled(one, names=not names and key in ("properties", "$defs"))
            for key, one in kept.items()
        }
    return [_untitled(one) for one in node] if isinstance(node, list) else node


def _shape(node: dict[str, Any], known: dict[str, Any]) -> str:
    if "$ref" in node:
        return _shape(known[node["$ref"].rpartition("/")[2]], known)
    if "enum" in node:
        return "|".join(json.dumps(value) for value in node["enum"])
    kind = node.get("type")
    if kind == "array":
        return f"[{_shape(node.get('items', {}), known)}]"
    if kind == "object" and "properties" in node:
        inner = ", ".join(f'"{name}": {_shape(one, known)}' for name, one in node["properties"].items())
        return f"{{{inner}}}"
    if kind == "object":
        return f'{{"…": {_shape(node.get("additionalProperties") or {}, known)}}}'
    return str(kind or "any")


def _example(schema: dict[str, Any], defs: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _example(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], defs)
    if schema.get("type") == "object":
        return {name: _example(field, defs) for name, field in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        items = dict(schema["items"])
        items.setdefault("description", schema.get("description", ""))
        return [_example(items, defs)]
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return schema.get("description") or schema.get("type", "")
