"""The README and the docs are true."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_link_of_the_documents_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text())
        if "://" not in target
    ]

    broken = [(page.name, target) for page, target in links if not (page.parent / target).exists()]

    assert links
    assert broken == []
