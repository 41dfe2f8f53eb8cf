"""Names that a script uses and defines nowhere, found without a parser of JavaScript.

A name counts as defined in the whole file where it is defined anywhere in it, be it a parameter.
That is less strict than the language, and sees every name that somebody forgot to import.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# What the language and the browser have, as far as the scripts use it.
BROWSER = frozenset(
    [
        "AbortController",
        "AbortSignal",
        "Array",
        "Boolean",
        "CSS",
        "CustomEvent",
        "Date",
        "Event",
        "HTMLTextAreaElement",
        "Infinity",
        "Intl",
        "JSON",
        "Map",
        "Math",
        "MutationObserver",
        "Number",
        "Object",
        "Promise",
        "RegExp",
        "ResizeObserver",
        "Set",
        "String",
        "TextDecoder",
        "URL",
        "URLSearchParams",
        "Uint8Array",
        "WeakMap",
        "addEventListener",
        "clearInterval",
        "clearTimeout",
        "console",
        "crypto",
        "document",
        "fetch",
        "getSelection",
        "globalThis",
        "history",
        "localStorage",
        "location",
        "matchMedia",
        "navigator",
        "performance",
        "removeEventListener",
        "requestAnimationFrame",
        "setInterval",
        "setTimeout",
        "undefined",
        "window",
    ]
)
_KEYWORDS = frozenset(
    [
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "default",
        "delete",
        "do",
        "else",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "from",
        "function",
        "get",
        "if",
        "import",
        "in",
        "instanceof",
        "let",
        "new",
        "null",
        "of",
        "return",
        "set",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "var",
        "void",
        "while",
        "yield",
    ]
)
_NAME = r"[A-Za-z_$][\w$]*"
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<regex>(?<=[(,=:\[!&|?{};\s])/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
    |(?P<template>`)|(?P<open>\{)|(?P<close>\})""",
    re.DOTALL | re.VERBOSE,
)
_TEMPLATE_END = re.compile(r"(?:\\.|[^`\\$]|\$(?!\{))*(`|\$\{)", re.DOTALL)
_HEADS = ("if", "for", "while", "switch")


def free_names(text: str) -> set[str]:
    """Names that a script neither defines nor imports, without those of the browser."""
    code = code_alone(text)
    return set(_used(code)) - set(_defined(code)) - BROWSER - _KEYWORDS


def code_alone(text: str) -> str:
    """A script without comments, texts and regular expressions; what stands in `${…}` stays."""
    kept: list[str] = []
    depth: list[int] = [0]  # of braces, in the code and in each template that is open
    at = 0
    while found := _TOKEN.search(text, at):
        kept.append(text[at : found.start()])
        at = found.end()
        if found.lastgroup == "open":
            depth[-1] += 1
            kept.append("{")
        elif found.lastgroup == "close" and depth[-1]:
            depth[-1] -= 1
            kept.append("}")
        elif found.lastgroup in ("template", "close"):  # a text begins, or goes on
            if found.lastgroup == "close":
                depth.pop()
                kept.append(")")
            end = _TEMPLATE_END.match(text, at)
            assert end is not None, f"a template without an end: {text[at : at + 40]}"
            at = end.end()
            if end[1] == "${":
                depth.append(0)
                kept.append("(")
            else:
                kept.append('""')
        elif found.lastgroup in ("text", "regex"):
            kept.append('""')
    return "".join([*kept, text[at:]])


def _used(code: str) -> Iterator[str]:
    """Names that are neither properties, keys of objects nor names of methods."""
    for found in re.finditer(rf"(?<![\w$]){_NAME}", code):
        line = code[code.rfind("\n", 0, found.start()) + 1 : found.start()]
        before = code[max(0, found.start() - 80) : found.start()].rstrip()[-3:]
        after = code[found.end() : found.end() + 200]
        is_property = before.endswith(".") and before != "..."
        is_key = before.endswith(("{", ",")) and re.match(r"\s*:", after)
        is_method = re.fullmatch(r"\s+(?:async |get |set |static )*", line) and re.match(
            r"\(.*\) \{", after
        )
        if not (is_property or is_key or is_method):
            yield found[0]


def _defined(code: str) -> Iterator[str]:
    """Names of constants, variables, functions, classes, parameters and imports."""
    yield from re.findall(rf"\b(?:function\*?|class) ({_NAME})", code)
    yield from re.findall(rf"({_NAME}) =>", code)
    yield from re.findall(rf"\bcatch \(({_NAME})\)", code)
    for imported in re.findall(r"\bimport (\{[^}]*\})", code):
        yield from re.findall(_NAME, imported)
    for found in re.finditer(r"\b(?:const|let) ", code):
        yield from _declared(code, found.end())
    for found in re.finditer(r"\(", code):
        end = _closing(code, found.start())
        before = re.search(rf"({_NAME})?\s*$", code[max(0, found.start() - 40) : found.start()])
        is_head = before is not None and before[1] in _HEADS
        if code.startswith(" =>", end) or (code.startswith(" {", end) and not is_head):
            yield from re.findall(_NAME, code[found.start() : end])


def _declared(code: str, at: int) -> Iterator[str]:
    """Names of a declaration, `a = 1, { b, c } = d;`, whose first begins there."""
    while at < len(code):
        if code[at] in "{[":
            end = _closing(code, at)
            yield from re.findall(_NAME, code[at:end])
        elif found := re.compile(_NAME).match(code, at):
            end = found.end()
            yield found[0]
        else:
            return
        while end < len(code) and code[end] not in ",;)":
            end = _closing(code, end) if code[end] in "([{" else end + 1
        if code[end : end + 1] != ",":
            return
        at = end + 1 + len(code[end + 1 :]) - len(code[end + 1 :].lstrip())


def _closing(code: str, start: int) -> int:
    """Where the bracket ends that begins there."""
    depth = 0
    for found in re.compile(r"[(\[{]|[)\]}]").finditer(code, start):
        depth += 1 if found[0] in "([{" else -1
        if depth == 0:
            return found.end()
    return len(code)
