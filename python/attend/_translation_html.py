"""How a notebook shows a translation: its candidates, and the page of its attention."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from attend._errors import Error

if TYPE_CHECKING:
    from attend._attend import Translation
    from attend.translator import Origin


def html_of(translation: Translation) -> str:
    """A table of the candidates; below it, while the translator exists, the attention."""
    rows = [
        f"<tr><td>{escape(one.text)}</td><td>{one.score:.4f}</td>"
        f"<td>{one.log_probability:.4f}</td></tr>"
        for one in translation.candidates
    ]
    head = "<tr><th>translation</th><th>score</th><th>log-probability</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>{_attention(translation)}"


def _attention(translation: Translation) -> str:
    origin: Origin | None = getattr(translation, "_origin", None)
    translator = None if origin is None else origin.translator()
    if origin is None or translator is None:
        return "<p>Keep the translator in a variable to see the attention here.</p>"
    try:
        page = translator.attention_page(origin.source, translation.text, **origin.reading)
    except Error as error:  # such as a text that is too long for the page
        return f"<p>No attention: {escape(str(error))}</p>"
    return page._repr_html_()
