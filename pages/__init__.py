"""Screens over `core`: one file a screen; `components` wraps what runs in the browser."""
