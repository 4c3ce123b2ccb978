"""A hook of mkdocs: links from a page to files of the repository, which the site does not have.

In the repository such a link (`../tests/...`) works as it is. On the site it leads to the
repository where mkdocs.yml has a `repo_url`; without one its text is left.
"""

from __future__ import annotations

import re
from typing import Any

_LINK = re.compile(r"\[([^\]]+)\]\(\.\./([^)\s]+)\)")


def on_page_markdown(markdown: str, config: Any, **_: Any) -> str:
    """The page with its links out of docs/ as the site can have them."""
    repository = str(config["repo_url"] or "").rstrip("/")
    link = rf"[\1]({repository}/blob/main/\2)" if repository else r"\1"
    return _LINK.sub(link, markdown)
