"""The keys of the workbench: one table for the tree, its help, the Start page and the settings.

A key is written as the browser names it (`KeyboardEvent.key`), a letter small, with "Shift+" in
front where it is held: "a", "Shift+R", "Shift+Enter", "/".

Which actions there are depends on the rules of the vocabulary: coders have some of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from string import ascii_lowercase

from core.vocabulary.conventions import Conventions


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What a key does.

    Attributes:
        action: its name in preferences and in the browser.
        key: unless a person chose another.
        words: what it does, for help and settings.
        needs: the rule of a vocabulary without which there is no such action; none where empty.
    """

    action: str
    key: str
    words: str
    needs: str = ""


SHORTCUTS = (
    Shortcut("accept", "a", "Accept the concept"),
    Shortcut("reject", "r", "Reject the concept; what is below it stays open"),
    Shortcut("exclude", "Shift+R", "Nothing in this branch"),
    Shortcut("branch", "Shift+A", "Accept or reject all that is suggested below"),
    Shortcut("clear", "u", "Clear the decision"),
    Shortcut("undo", "z", "Undo your last action, in whatever document it was"),
    Shortcut("back_off", "b", "Back off: accept the broader concept instead"),
    Shortcut("mark", "m", "Mark as a main topic, or take the mark away"),
    Shortcut("next", "n", "Go to the next unresolved suggestion"),
    Shortcut(
        "only", "o", "Work on this branch alone, in one document after another; again, on all"
    ),
    Shortcut("weak", "v", "Show the improbable suggestions, or leave them out again"),
    Shortcut("given", "g", "Confirm all that came with the document"),
    Shortcut("passage_after", "e", "Go to the next place of the evidence in the text"),
    Shortcut("passage_before", "w", "Go to the place of the evidence before it"),
    Shortcut("find", "i", "Search in the text"),
    Shortcut("hint", "h", "Go to what was probably missed or is doubtful"),
    Shortcut("copy", "Shift+C", "Copy the label and the URI of the concept"),
    Shortcut("fold", "l", "Show the levels that are folded into one row, or fold them again"),
    Shortcut("search", "/", "Search for a concept to add"),
    Shortcut("help", "?", "Show the keys"),
    Shortcut("guidelines", "Shift+G", "Read the guidelines of the project"),
    Shortcut("finish", "Shift+Enter", "Finish this document and open the next"),
    Shortcut("skip", "s", "Leave this document as it is and open the next unfinished one"),
    Shortcut("new", "Shift+N", "Start a new document"),
    Shortcut("similar", "k", "Take what at least half of the similar documents have"),
)

CODER_SHORTCUTS = (
    Shortcut("down", "d", "Go down to the codes below a category", "leaves_only"),
    Shortcut("codes", "c", "Go to the accepted codes in their order, or back", "sequenced"),
    Shortcut("principal", "m", "Make it the first code: the principal one", "sequenced"),
    Shortcut("present", "p", "Present on admission: yes, no, or not known", "present_on_admission"),
    Shortcut("remedy", "f", "Fix what the check has found about the code", "checked"),
    Shortcut("performed", "t", "Give a procedure its date", "dated_procedures"),
)
# Where codes have an order, the first is what a main topic is elsewhere.
NOT_FOR_CODERS = frozenset({"mark"})
CODER_WORDS = {
    "accept": "Accept the code; of a category, go down to its codes",
    "reject": "Reject the code; what is below it stays open",
    "back_off": "Back off: choose another code of its category instead",
    "copy": "Copy the label and the URI of the code",
    "search": "Search for a code to add",
}
THESAURUS = Conventions()

# What moves about in every tree, and what the browser or Streamlit keep for themselves.
TREE_KEYS = {
    "ArrowUp": "the row above",
    "ArrowDown": "the row below",
    "ArrowRight": "open a branch, or go into it",
    "ArrowLeft": "close a branch, or go to what is broader",
    "Home": "the first row",
    "End": "the last row",
    "*": "open all branches beside this one",
    "Enter": "open or close a branch",
    " ": "open or close a branch",
}
CODES_KEYS = {"Alt+ArrowUp": "a code earlier", "Alt+ArrowDown": "a code later"}
_NAMED_KEYS = frozenset({"Enter", "Delete", "Insert", *(f"F{n}" for n in (2, 4, 6, 7, 8, 9, 10))})
_SHIFT = "Shift+"


def normal_key(key: str) -> str:
    """Return a key as the table writes it: letters are small, and capitals with Shift."""
    held, name = (_SHIFT, key.removeprefix(_SHIFT)) if key.startswith(_SHIFT) else ("", key)
    if len(name) != 1:
        return held + name
    return held + (name.upper() if held else name.lower())


def shortcuts(conventions: Conventions = THESAURUS) -> tuple[Shortcut, ...]:
    """Return what can be done by key in a vocabulary with these rules, in its trade's words."""
    coder_shortcuts = [
        shortcut for shortcut in CODER_SHORTCUTS if getattr(conventions, shortcut.needs)
    ]
    if not coder_shortcuts:
        return SHORTCUTS
    spared = NOT_FOR_CODERS if conventions.sequenced else frozenset()
    words = CODER_WORDS if conventions.leaves_only else {}
    kept_shortcuts = [
        replace(shortcut, words=words.get(shortcut.action, shortcut.words))
        for shortcut in SHORTCUTS
        if shortcut.action not in spared
    ]
    return (*kept_shortcuts, *coder_shortcuts)


def key_table(
    chosen: Mapping[str, object] | None = None, conventions: Conventions = THESAURUS
) -> dict[str, str]:
    """Return the key of every action: the person's choice, or else the default.

    A set of keys that `validate` refuses is not used at all. An action of which nobody chose the key
    gets a free letter where a person has given its key to something else, as before there was such
    an action.
    """
    offered = shortcuts(conventions)
    table = {shortcut.action: shortcut.key for shortcut in offered}
    chosen_keys = {
        action: normal_key(key)
        for action, key in (chosen or {}).items()
        if action in table and isinstance(key, str)
    }
    wanted = table | chosen_keys
    _make_way(wanted, chosen_keys, offered)
    return table if validate(wanted, conventions) else wanted


def _make_way(
    table: dict[str, str], chosen_keys: Mapping[str, str], giving: Iterable[Shortcut]
) -> None:
    """Give these of which nobody chose the key another one, where theirs was chosen; in place."""
    for shortcut in giving:
        others = {key for action, key in table.items() if action != shortcut.action}
        if shortcut.action not in chosen_keys and shortcut.key in others:
            table[shortcut.action] = next(
                (k for k in ascii_lowercase if k not in others), shortcut.key
            )


def validate(keys: Mapping[str, str], conventions: Conventions = THESAURUS) -> list[str]:
    """Return what is wrong with these keys, a sentence each; nothing where they can be used.

    Args:
        keys: by action; actions that are missing keep the key of the table.
    """
    offered = shortcuts(conventions)
    words = {shortcut.action: shortcut.words for shortcut in offered}
    problems = [f"There is no action {action!r}." for action in keys if action not in words]
    table = {s.action: normal_key(keys.get(s.action, s.key)) for s in offered}
    problems += [
        f"{spoken_key(key) or 'Nothing'} cannot be the key for “{words[action]}”: {reason}"
        for action, key in table.items()
        if (reason := _unusable(key))
    ]
    taken: dict[str, str] = {}
    for action, key in table.items():
        first = taken.setdefault(key, action)
        if first != action:
            problems.append(
                f"{spoken_key(key)} is chosen twice, for “{words[first]}” and for "
                f"“{words[action]}”: give one of them another key."
            )
    return problems


def _unusable(key: str) -> str | None:
    name = key.removeprefix(_SHIFT)
    if not name:
        return "choose a key."
    if name in TREE_KEYS and key != "Shift+Enter":
        return f"it is kept for moving in the tree ({TREE_KEYS[name]})."
    if name != key and len(name) == 1 and name.lower() == name.upper():
        return "with Shift it types another sign; choose that sign itself."
    if len(name) == 1 and name.isprintable():
        return None
    if name in _NAMED_KEYS:
        return None
    return "use a letter, a digit or a sign, alone or with Shift."


def spoken_key(key: str) -> str:
    """Return a key as it is printed on the page: "A", "Shift+R", "Shift+Enter"."""
    name = key.removeprefix(_SHIFT)
    shown = name.upper() if len(name) == 1 else name
    return f"{_SHIFT}{shown}" if key.startswith(_SHIFT) else shown
