"""The script behind every page: page settings, then the page that the address names.

It lies in this folder, not beside it, so that Streamlit does not take the folder's other modules
for pages of its own.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

PAGES = Path(__file__).resolve().parent
ICON = PAGES.parent / "assets" / "icon.svg"  # a :material/…: icon here would be fetched from afar


def main() -> None:
    """Run the page that the address names."""
    st.set_page_config(page_title="Strata", page_icon=str(ICON), layout="wide")
    annotate = st.Page(PAGES / "annotate.py", title="Annotate", url_path="annotate", default=True)
    st.navigation([annotate], position="hidden").run()


if __name__ == "__main__":
    main()
