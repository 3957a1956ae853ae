"""The example in the room's README works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[2] / "schedule" / "README.md"


def test_the_first_network_of_the_readme_has_the_dates_that_it_says() -> None:
    """Whoever uses the engines without the rest begins here."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(README), "exec"), {})  # the text is our own
