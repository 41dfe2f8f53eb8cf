"""What installed packages say of components for Streamlit, read once in a process.

Streamlit reads the metadata of every installed package for each app that it runs: most of the time
of a test of a page.
"""

from __future__ import annotations

from functools import cache

from streamlit.components.v2 import manifest_scanner


@cache
def read_manifests_once() -> None:
    """Have Streamlit find what there is now: no package comes or goes during a run of tests."""
    found = manifest_scanner.scan_component_manifests()
    manifest_scanner.scan_component_manifests = lambda *_, **__: found  # type: ignore[assignment]
