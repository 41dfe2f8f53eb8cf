"""Joins the ES modules of a component in `assets/components` into one script.

Each file becomes a function of its own that is called once, after those that it imports from, and
returns what it exports; so names that a file does not export cannot meet those of another. What is
understood is little, and all else is refused: `import { a, b } from "./file.js";` at the beginning
of a line, and `export` before a function, class or const that stands there. An entry has one
`export default function name(component)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from core.paths import PROJECT_ROOT

ASSETS = PROJECT_ROOT / "assets" / "components"
_IMPORT = re.compile(r'^import \{([\w$,\s]*)\} from "(\.\.?/[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (default )?((?:async )?function|class|const) ([\w$]+)", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:(?:async )?function|class|const|let) ([\w$]+)", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\S)//.*")
_NAME = re.compile(r"[\w$]+")


class ScriptError(ValueError):
    """A script cannot be joined; the sentence says which and why."""


@dataclass(frozen=True, slots=True)
class Script:
    """A file, taken apart.

    Attributes:
        name: its path below the folder of all scripts, such as "tree/states.js".
        imports: by name of a file, the names that are taken from it.
        exports: names, that of `default` among them.
        default: name of the function that Streamlit calls; "" in a file that is no entry.
        body: the text without import and export.
    """

    name: str
    imports: Mapping[str, tuple[str, ...]]
    exports: tuple[str, ...]
    default: str
    body: str


@cache
def joined(entry: str, root: Path = ASSETS) -> str:
    """Return the module of an entry, such as "tree/workbench.js".

    Raises:
        ScriptError: where a file is missing or says what is not understood, an import has no
            export, is not used or meets another of its name, files need each other in a circle, or the entry
            has no default export.
    """
    scripts = in_order(entry, root=root)
    if not scripts[-1].default:
        raise ScriptError(f"{entry} has no `export default function name(component)`.")
    called = f"export default {variable(entry)}.{scripts[-1].default};\n"
    return "\n".join([*(as_function(script) for script in scripts), called])


def in_order(*entries: str, root: Path = ASSETS) -> list[Script]:
    """Return these files and all that they need, each after those that it imports from.

    Raises:
        ScriptError: as `joined`.
    """
    done: dict[str, Script] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            circle = " → ".join([*path[path.index(name) :], name])
            raise ScriptError(f"Scripts import each other in a circle: {circle}.")
        if name not in done:
            script = read_script(name, root)
            for other, names in script.imports.items():
                visit(other, (*path, name))
                for missing in set(names) - set(done[other].exports):
                    raise ScriptError(f"{name} imports {missing}, which {other} does not export.")
            done[name] = script

    for entry in entries:
        visit(entry, ())
    return list(done.values())


@cache
def read_script(name: str, root: Path = ASSETS) -> Script:
    """Take a file apart.

    Raises:
        ScriptError: where it is missing, or says what is not understood.
    """
    if not (root / name).is_file():
        raise ScriptError(f"There is no script {name}.")
    text = (root / name).read_text("utf-8")
    imports: dict[str, tuple[str, ...]] = {}
    for listed, path in _IMPORT.findall(text):
        other = normpath(join(dirname(name), path))
        if other in imports:
            raise ScriptError(f"{name} imports from {other} twice.")
        imports[other] = tuple(part.strip() for part in listed.split(",") if part.strip())
    exported = list(_EXPORT.finditer(text))
    defaults = [export[3] for export in exported if export[1]]
    body = _EXPORT.sub(r"\2 \3", _IMPORT.sub("", text))
    script = Script(
        name, imports, tuple(export[3] for export in exported), "".join(defaults[:1]), body
    )
    for problem in _problems(script, len(defaults)):
        raise ScriptError(f"{name} {problem}.")
    return script


def as_function(script: Script) -> str:
    """Return a constant with what the file exports, the file being a function that is called."""
    taken = "".join(
        f"const {{ {', '.join(names)} }} = {variable(other)};\n"
        for other, names in script.imports.items()
    )
    given = f"return {{ {', '.join(script.exports)} }};"
    return f"const {variable(script.name)} = (() => {{\n{taken}{script.body}\n{given}\n}})();\n"


def _problems(script: Script, n_defaults: int) -> Iterator[str]:
    if rest := re.search(r"^(import|export)\b.*", script.body, re.MULTILINE):
        yield f"says “{rest[0]}”, which is not understood"
    if n_defaults > 1:
        yield "has more than one default export"
    names = [name for names in script.imports.values() for name in names]
    used = set(_NAME.findall(_COMMENT.sub("", script.body)))
    defined = set(_DEFINITION.findall(script.body))
    for name in names:
        if not _NAME.fullmatch(name):
            yield f"renames what it imports ({name}), which is not understood"
        elif names.count(name) > 1:
            yield f"imports {name} twice"
        elif name in defined:
            yield f"imports {name} and defines it too"
        elif name not in used:
            yield f"imports {name} and does not use it"


def variable(name: str) -> str:
    """Return the name of the constant that holds what a file exports."""
    return "$" + re.sub(r"\W", "_", name.removesuffix(".js"))
