"""On the command line: a photo loses its place and says so, and a person's name leaves a site whose people sign with keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clusterwright.test_signed_site import Site
from tests.ledger import malicious as bad


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return an adopted site."""
    made = Site(tmp_path_factory.mktemp("privacy"))
    made("plan", "adopt", "--yes", "--reason", "first plan", "--as", "owner", key="owner")
    return made


def test_attaching_says_what_was_taken_out_and_refuses_what_runs(site: Site, tmp_path: Path) -> None:
    """A person at the terminal learns both; the exit code of a refusal is that of bad input."""
    (tmp_path / "a.jpg").write_bytes(bad.photo(exif=bad.exif()))
    (tmp_path / "b.jpg").write_bytes(b"#!/bin/sh\n")

    done = site("attach", "071@site", "--file", tmp_path / "a.jpg", "--kind", "photo", "--as", "tech", key="tech")
    refused = site(
        "attach", "071@site", "--file", tmp_path / "b.jpg", "--kind", "photo", "--as", "tech", rc=2, key="tech"
    )

    assert "071@site: photo attached; taken out before it was kept: the location" in done.stderr
    assert "b.jpg is a script (#!); it is not kept" in refused.stderr
    assert "attach what it printed" in refused.stderr
    (event,) = json.loads(site("log", "071@site", "--json").stdout)[-1:]
    assert event["payload"]["removed"] == ["the location"]


def test_a_name_is_redacted_by_a_signed_decision(site: Site) -> None:
    """Asked for the id first; and what still holds the name is said."""
    site("comment", "071@site", "Lead looked at it", "--as", "tech", key="tech")
    head = json.loads(site("log", "--limit", 1, "--json").stdout)[0]["seq"]

    unsure = site("redact", "lead", "--reason", "asked for", "--as", "owner", key="owner", rc=4)
    tried = site("redact", "lead", "--reason", "asked for", "--dry-run", "--as", "owner", key="owner")
    stranger = site("redact", "lead", "--reason", "x", "--yes", "--as", "tech", key="tech", rc=1)
    assert json.loads(site("log", "--limit", 1, "--json").stdout)[0]["seq"] == head
    done = site("redact", "lead", "--reason", "asked for", "--yes", "--as", "owner", key="owner")
    again = site("redact", "lead", "--reason", "asked for", "--yes", "--as", "owner", key="owner")

    assert "Type the person's id" in unsure.stdout
    assert "nothing recorded (dry run)" in tried.stderr
    assert "may not redact" in stranger.stderr
    assert "lead: redacted, 1 document removed" in done.stderr
    assert f"the name is in 1 event, as written at the time, and cannot be changed there: {head}" in done.stderr
    assert "site.yaml still holds the name" in done.stderr
    assert "redacted, 0 documents removed" in again.stderr
    (event,) = json.loads(site("log", "--limit", 1, "--json").stdout)
    assert (event["kind"], event["subject"]) == ("person.redacted", "person/lead")
    assert event["payload"]["statement"]
    site("audit")


def test_a_name_in_the_file_of_people_is_said(site: Site) -> None:
    """The next adoption would take it from there."""
    (site.folder / "site.yaml").write_text("people: people.csv\n", encoding="utf-8")
    (site.folder / "people.csv").write_text("id,name,roles\ntech,Tech,rigger\n", encoding="utf-8")

    done = site("redact", "tech", "--reason", "asked for", "--yes", "--as", "owner", key="owner")

    assert "people.csv still holds the name: take it out there" in done.stderr


def test_a_backup_and_what_comes_back_of_it_say_whom_they_name(site: Site, tmp_path: Path) -> None:
    """A name must not come back in silence: not in the site file that is packed, not in a record of before."""
    site("backup", tmp_path / "before.tar.gz")
    site("redact", "tech", "--reason", "asked for", "--yes", "--as", "owner", key="owner")
    after = site("backup", tmp_path / "after.tar.gz")

    old = site("restore", tmp_path / "before.tar.gz", tmp_path / "old")
    new = site("restore", tmp_path / "after.tar.gz", tmp_path / "new", "--json")

    assert "site.yaml in it still names who was redacted: " in after.stderr
    assert "tech" in after.stderr
    assert "redact again those who were redacted after event" in old.stderr
    document = json.loads(new.stdout)
    assert "tech" in document["redacted_but_named"]
    assert "tech" not in document["named"]
