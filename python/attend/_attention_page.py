"""What ``attend attention`` writes."""

from __future__ import annotations

import os


class AttentionPage:
    """A page that shows the attention of every layer and head: one self-contained HTML file."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file for the browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AttentionPage) and self.html == other.html

    def __hash__(self) -> int:
        return hash(self.html)

    def _repr_html_(self) -> str:
        # A frame keeps the page's styles and scripts apart from those of the notebook.
        content = self.html.replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{content}" width="100%" height="640" frameborder="0"></iframe>'

    def __repr__(self) -> str:
        return f"attend.AttentionPage({len(self.html)} characters)"
