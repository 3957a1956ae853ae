"""On a signed site the screens act for who has a person's key, also under another account."""

from __future__ import annotations

import asyncio

import pytest

from clusterwright.forms import command_line
from ledger.questions.records import comments
from ledger.reading import open_snapshot
from ledger.writing import Ledger
from tests.ledger.conftest import clock, site_dir
from tests.ledger.test_signed import Keys, keys, signed
from tests.needs import needs
from tui.acting.running import Done
from tui.site import OpenSite

__all__ = ["clock", "keys", "signed", "site_dir"]

pytestmark = [needs("ssh-keygen"), pytest.mark.own_file]


def opened(ledger: Ledger) -> OpenSite:
    """Return the site as the screens open it, with the people of whom a key is at hand."""
    (ledger.site_dir / "site.yaml").write_text("name: Small\n", encoding="utf-8")
    site = OpenSite(ledger.site_dir, command_line())
    with open_snapshot(ledger.site_dir) as snapshot:
        site.find_person(snapshot)
    return site


def noted(site: OpenSite, text: str) -> Done:
    """Note something about an activity, as its form does."""
    words = site.commands.describe("comment").words(["001@site"], {"text": text})
    return asyncio.run(site.running(words).done())


def test_the_person_is_the_one_whose_key_is_at_hand(
    signed: Ledger,
    keys: Keys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLUSTERWRIGHT_KEY", str(keys["tech"]))
    site = opened(signed)
    assert site.people == ("tech",)

    assert noted(site, "looks good").is_done

    with open_snapshot(signed.site_dir) as snapshot:
        assert [(said.person, said.text) for said in comments(snapshot, "001@site")] == [("tech", "looks good")]


def test_nobody_acts_in_the_name_of_another(signed: Ledger, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not signed itself, and anybody at this account could write it."""
    monkeypatch.setenv("CLUSTERWRIGHT_KEY", str(keys["tech"]))
    site = opened(signed)
    site.person, site.people = "lead", ("lead", "tech")

    refused = noted(site, "looks good")

    assert refused.code == 1
    assert "is not a key of lead" in refused.talk


def test_hidden_marks_are_refused_on_screens_too(signed: Ledger, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTERWRIGHT_KEY", str(keys["tech"]))

    refused = noted(opened(signed), "done\u202e")

    assert refused.code == 2
    assert "a mark that cannot be seen" in refused.talk
