"""Counts the words of the docs: `python docs/words.py`.

A word has a letter or a digit. What is in code blocks is not counted: it is typed or printed. Pages that benchmarks and examples write
are counted apart, and pages that `generate.py` makes are not kept.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
CODE = re.compile(r"^\s*```.*?^\s*```", re.MULTILINE | re.DOTALL)
BY_PROGRAM = {
    "explanation/believable.md",
    *(
        f"evidence/{name}.md"
        for name in (
            "crews", "culprits", "distributions", "field-sheets", "found-links", "idempotence", "interchange", "large-site", "learning", "levelling",
            "manager", "risk", "sampling", "schedule-judges", "screens-day", "slip", "workshop",
        )
    ),
}  # fmt: skip


def main() -> None:
    """Print how many words people wrote, and how many programs did."""
    pages = {page.relative_to(HERE).as_posix(): page.read_text(encoding="utf-8") for page in HERE.rglob("*.md")}
    counted = {name: len(re.findall(r"\S*\w\S*", CODE.sub("", text))) for name, text in pages.items()}
    by_program = sum(counted[name] for name in BY_PROGRAM)
    print(f"by hand: {sum(counted.values()) - by_program:,}; by program: {by_program:,}")


if __name__ == "__main__":
    main()
