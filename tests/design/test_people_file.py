"""People in a CSV file beside site.yaml."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedule.errors import InputError
from steps.catalog.loader import read_roles
from steps.design.site import Site, read_site

SITE = """\
name: t
time_zone: Etc/UTC
country: US
currency: USD
preset: superpod-1su
start: 2027-01-04
people: people.csv
"""
ROLES = read_roles()


def site_with(folder: Path, people: str | bytes) -> Site:
    (folder / "site.yaml").write_text(SITE, encoding="utf-8")
    content = people if isinstance(people, bytes) else people.encode()
    (folder / "people.csv").write_bytes(content)
    return read_site(folder, ROLES)


@pytest.mark.parametrize(
    "text",
    [
        'id,name,roles,account\nowner,"One, Owner",owner-pm; sponsor,root\nbuyer,,buyer,\n',
        'id,name,roles,account\nowner,"One, Owner","owner-pm, sponsor",root\nbuyer,,buyer,\n',
        'id;name;roles;account\r\nowner;One, Owner;"owner-pm;sponsor";root\r\nbuyer;;buyer;\r\n',
        b'\xef\xbb\xbfroles,id,account,name\nowner-pm sponsor,owner,root,"One, Owner"\nbuyer,buyer,,\n',
    ],
    ids=["commas", "commas between roles", "semicolons", "another order, as a spreadsheet saves it"],
)
def test_a_line_of_the_file_is_a_person_of_the_site(tmp_path: Path, text: str | bytes) -> None:
    owner, buyer = site_with(tmp_path, text).people

    assert (owner.id, owner.name, owner.roles, owner.account) == (
        "owner",
        "One, Owner",
        ("owner-pm", "sponsor"),
        "root",
    )
    assert (buyer.id, buyer.name, buyer.roles, buyer.account) == ("buyer", "", ("buyer",), None)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("id,name,role\nowner,O,owner-pm\n", 1, "there is no column 'role'"),
        ("id,name\nowner,O\n", 1, "the column 'roles' is missing"),
        ("id,roles\n", 1, "names nobody"),
        ("id,roles\nowner,owner-pm\nbuyer,buier\n", 3, "there is no role 'buier'"),
        ("id,roles\nowner,owner-pm\n\nowner,buyer\n", 4, "owner is in line 2 too"),
        (
            "id,roles\nOne Owner,owner-pm\n",
            2,
            "expected lower-case letters and digits, with hyphens between them, not 'One Owner'",
        ),
        ("id,roles\n,owner-pm\n", 2, "key 'id' is missing"),
        ("id,roles\nowner,\n", 2, "key 'roles' is missing"),
        ("id,roles\nowner,owner-pm,root\n", 2, "more values than the 2 columns"),
        ('id,roles\nowner,"owner-pm\n', 2, "not a CSV file"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, line: int, said: str) -> None:
    with pytest.raises(InputError, match=said) as wrong:
        site_with(tmp_path, text)

    assert wrong.value.place
    assert (wrong.value.place.file, wrong.value.place.line) == (str(tmp_path / "people.csv"), line)
    assert ("write ; between roles" in wrong.value.hint) is said.startswith("more values")


def test_two_people_with_one_key_are_refused_by_line(tmp_path: Path) -> None:
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBlO8DrsSBFoLQUq7dvGz8S0tmvvQTHsuaYb2SxP6rcC"

    with pytest.raises(InputError, match="buyer has the SSH key of owner") as wrong:
        site_with(tmp_path, f"id,roles,ssh_key\nowner,owner-pm,{key}\nbuyer,buyer,{key} other\n")

    assert wrong.value.place
    assert wrong.value.place.line == 3


def test_a_file_that_is_not_there_is_named_with_the_key(tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text(SITE, encoding="utf-8")

    with pytest.raises(InputError, match=r"no file 'people.csv' beside site.yaml") as wrong:
        read_site(tmp_path, ROLES)

    assert wrong.value.place
    assert wrong.value.place.line == 7
