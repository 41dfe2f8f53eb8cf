"""What the Settings page has the browser do: take keys that are pressed, and switch the colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.review.keys import Shortcut, spoken_key
from pages.components import register, sent_event

KEYS_KEY = "settings_keys"


def keys_table(
    keys: Mapping[str, str],
    *,
    shortcuts: Sequence[Shortcut],
    problems: Sequence[str],
    on_keys: Callable[[], None],
) -> None:
    """Draw a row for each action.

    Args:
        keys: the key of every action, as it holds now.
        shortcuts: the actions that there are.
        problems: why the last choice was refused, a sentence each.
        on_keys: called when a key is chosen; `sent_keys` says which.
    """
    register(
        "settings_keys",
        folder="settings",
        entry="settings_keys.js",
        styles=("settings_keys.css",),
    )(
        key=KEYS_KEY,
        data={
            "rows": [
                {
                    "action": shortcut.action,
                    "words": shortcut.words,
                    "key": keys[shortcut.action],
                    "spoken": spoken_key(keys[shortcut.action]),
                    "standard": shortcut.key,
                    "standard_spoken": spoken_key(shortcut.key),
                }
                for shortcut in shortcuts
            ],
            "problems": list(problems),
        },
        on_keys_change=on_keys,
    )


def sent_keys() -> dict[str, Any]:
    """Return what was chosen: `{action, key}`, or `{reset: True}`; empty where it is neither."""
    value = sent_event("keys")
    return value if isinstance(value, dict) else {}


def theme_choice(pages: Sequence[str]) -> None:
    """Draw the choice of colours.

    Args:
        pages: paths of all pages below the first, which is "".
    """
    register(
        "settings_theme",
        folder="settings",
        entry="settings_theme.js",
        styles=("settings_theme.css",),
    )(key="settings_theme", data={"pages": list(pages)})
