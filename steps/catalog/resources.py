"""What work occupies besides its crews: docks, benches, power for soaks, room for people."""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import Field

from steps.catalog.loader import shipped_folder
from steps.catalog.schema import Closed, Text
from steps.catalog.terms import Scope
from steps.validation import validated
from steps.yaml_lines import load

FILE = "resources.yaml"


class Resource(Closed):
    """Something of which a site, or each of its halls, has so much.

    With `people`, all field work in a pod occupies one for each of its people.
    """

    title: Text
    at: Literal[Scope.SITE, Scope.HALL] = Field(
        description="where there is one: work of a narrower unit occupies that around it"
    )
    capacity: Text = Field(description="a formula over the unit's design values and the site's figures")
    people: bool = False


@cache
def resources() -> dict[str, Resource]:
    """Return every resource by name, in the order of the file."""
    path = shipped_folder() / FILE
    listed, lines = load(path)
    return {
        name: validated(Resource, one, {key[1:]: line for key, line in lines.items() if key[:1] == (name,)}, str(path))
        for name, one in listed.items()
    }
