"""What a contractor is handed: their own work and what it waits for, and no figure of the owner's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape

import pytest

from tests.clusterwright.reported import CONTRACTOR, ORDER, Reported, reported

pytestmark = pytest.mark.own_file

OWN = ("010@pod-001", "020@pod-001", "010@pod-002")
OWNERS_WORDS = (
    *("P10", "P50", "P80", "chance", "commitment", "committed", "target", "contingency", "baseline", "budget"),
    *("cost", "slip", "$", "USD", "EUR", "forecast later", "go-live"),
)
"""What the owner's figures are called. None of these words is on a contractor's page."""
DATES_OF_OWN_WORK = ("early_start", "early_finish", "started_at", "finished_at", "done_at")
"""Of their own activities: planned start and finish, and when they began and ended."""
FORMS = ("html", "md", "csv")


@pytest.fixture(scope="module")
def site() -> Iterator[Reported]:
    with reported() as made:
        yield made


@pytest.fixture(scope="module")
def texts(site: Reported) -> dict[str, str]:
    """What a contractor reads in each form."""
    found = {form: site.file(f"c.{form}", "week", "--organisation", CONTRACTOR).decode() for form in FORMS}
    found["html"] = unescape(re.sub(r"<[^>]+>", " ", found["html"].partition("<body>")[2]))
    found["json"] = json.dumps(site.document("report", "week", "--organisation", CONTRACTOR))
    found["meeting"] = site.run("report", "meeting", "--organisation", CONTRACTOR)
    return {form: text.replace("\\#", "#") for form, text in found.items()}  # as Markdown writes it


def allowed_dates(site: Reported) -> set[str]:
    """Return the days that the page may have: those of their own work, their forecast finishes, and its own day."""
    shown = [site.document("show", name) for name in OWN]
    rows = [row for row in site.document("list") if row["id"] in OWN]
    own = {str(row.get(name))[:10] for row in rows for name in DATES_OF_OWN_WORK if row.get(name)}
    expected = {one["forecast"]["on"] for one in shown if one.get("forecast")}
    opened = {str(ncr["opened_at"])[:10] for one in shown for ncr in one["ncrs"]}
    today = {str(site.document("report", "week")["as_of"])}
    return own | expected | opened | today


def test_it_has_no_word_for_the_owners_figures(texts: dict[str, str]) -> None:
    for form, text in texts.items():
        found = [word for word in OWNERS_WORDS if word.casefold() in text.casefold()]
        assert found == [], form


def test_every_date_on_it_is_one_of_their_own_work(site: Reported, texts: dict[str, str]) -> None:
    allowed = allowed_dates(site)
    for form, text in texts.items():
        dates = set(re.findall(r"\d{4}-\d\d-\d\d", text))
        assert dates <= allowed, form
        assert len(dates) > 2, form


def test_others_are_named_only_where_their_work_is_waited_for(site: Reported, texts: dict[str, str]) -> None:
    """The servers of the second pod are not here: that is said, and not for when they were promised."""
    waits = {
        line["id"] for line in site.document("report", "week", "--organisation", CONTRACTOR)["sections"]["Constraints"]
    }
    for form, text in texts.items():
        named = set(re.findall(r"\b\d{3}@[a-z0-9-]+(?:#[a-z-]+(?:/\d+)?)?", text))
        assert named <= {*OWN, *waits}, form
        assert "promised" not in text, form


def test_it_has_their_work_their_constraints_and_what_they_hand_in(texts: dict[str, str]) -> None:
    page = " ".join(texts["html"].split())

    assert "Your next three weeks" in page
    assert "010@pod-001 Step 010 in progress" in page
    assert "Sheets and photos to hand in" in page
    assert "Step 010 pod-001 photo" in page, "that of pod-002 comes when its servers do, in April"
    assert "two anchors are not marked" in page


def test_a_supplier_sees_what_is_to_be_delivered_and_no_value(site: Reported) -> None:
    (order,) = (row for row in site.document("orders") if row["supplier_name"] == "ACME")
    page = read(site.file("acme.html", "week", "--organisation", "acme"))
    late = order["late_delivery"]

    assert f"Your deliveries (1) order what to come state promised needed here {ORDER} {order['title']}" in page
    to_come = sum(float(one["quantity"]) - float(one["received_quantity"]) for one in order["tranches"])
    assert f"{ORDER} {order['title']} {to_come:g} " in page
    assert to_come < float(order["quantity"])
    assert re.search(r"Small, week to \d{4}-\d\d-\d\d: ACME ", page), "a title that is too long is cut behind its day"
    assert f"late {late['promised']} {late['need_by'][:10]}" in page
    assert "Orders to deliver 1 1 late" in page
    assert "0 of 0 activities" not in page
    assert [word for word in OWNERS_WORDS if word.casefold() in page.casefold()] == []
    assert "1200000" not in re.sub(r"\D", "", page)


def read(page: bytes) -> str:
    """Return the words of a page, with one space between them."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.decode().partition("<body>")[2])).split())


def test_the_owner_sees_what_the_contractor_does_not(site: Reported) -> None:
    """The words of the list are those that the owner's report has, so that it cannot pass by a change of words."""
    report = site.run("report", "week").casefold()

    assert [word for word in ("p80", "commitment", "contingency", "$", "baseline") if word not in report] == []


def test_a_meeting_lists_the_work_of_a_trade_with_what_is_in_its_way(site: Reported) -> None:
    document = site.document("report", "meeting", "--trade", "technician")

    names = list(document["sections"])
    assert f"technician, {CONTRACTOR}" in names
    assert "Decisions needed" in names
    assert {line["id"] for line in document["sections"][f"technician, {CONTRACTOR}"]} <= set(OWN)
    way = document["sections"][f"In the way of technician, {CONTRACTOR}"]
    assert [line["id"] for line in way] == ["001@site#gpu-server/2"]
    assert way[0]["owner"] == "ACME"
    assert re.match(r"Activities: \d+; crews: 2; past their planned finish: \d+", document["go_live"])
