"""Writes every page that is made from the code."""

from docs.generate import FOLDER, PAGES

for name, page in PAGES.items():
    path = FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(page())
    print(f"Wrote docs/{name}.")
