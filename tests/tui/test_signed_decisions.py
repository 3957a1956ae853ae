"""On a signed site the screens act for whoever has a person's key, whatever the account is."""

from __future__ import annotations

import pytest

from ledger.questions.records import comments
from ledger.reading import open_snapshot
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.conftest import clock, site_dir
from tests.ledger.test_signed import Keys, keys, signed
from tests.needs import needs
from tui.decisions import take
from tui.site import OpenSite

__all__ = ["clock", "keys", "signed", "site_dir"]

pytestmark = [needs("ssh-keygen"), pytest.mark.own_file]


def test_a_note_in_the_name_of_another_is_refused(
    signed: Ledger,
    keys: Keys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not signed itself, and anybody at this account could write it."""
    monkeypatch.setenv("CLUSTERWRIGHT_KEY", str(keys["tech"]))

    with pytest.raises(NotSatisfiedError, match="is not a key of lead"):
        take(signed.site_dir, "lead", "comment", "001@site", "looks good")
    take(signed.site_dir, "tech", "comment", "001@site", "looks good\nto me")

    with open_snapshot(signed.site_dir) as snapshot:
        assert [(said.person, said.text) for said in comments(snapshot, "001@site")] == [("tech", "looks good\nto me")]


def test_the_person_is_the_one_whose_key_is_at_hand(
    signed: Ledger,
    keys: Keys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLUSTERWRIGHT_KEY", str(keys["lead"]))
    site = OpenSite(signed.site_dir)

    with open_snapshot(signed.site_dir) as snapshot:
        site.find_person(snapshot)

    assert site.people == ("lead",)


def test_hidden_marks_are_refused_on_screens_too(
    signed: Ledger,
    keys: Keys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLUSTERWRIGHT_KEY", str(keys["tech"]))

    with pytest.raises(InputError, match="a mark that cannot be seen"):
        take(signed.site_dir, "tech", "comment", "001@site", "done\u202e")
