"""Record items from a barcode scanner, one a line.

A line is an item, or an item and its serial number. Each is answered at once: a scanner is a keyboard that ends every code
with Enter.

Example:
    clusterwright check scan H08@pod-001

"""

import json
import sys

from clusterwright.commands.acting import Acting, Deciding
from clusterwright.commands.handing import say_shut_out
from clusterwright.commands.options import ActivityId, JsonOption
from clusterwright.output import Document, in_line, say
from ledger.subjects.checklists import decisions as checklists
from schedule.errors import ClusterwrightError, InputError, UnreachableError
from schedule.text import shown_in_json


def scan(
    me: Acting,
    activity: ActivityId,
    as_json: JsonOption = False,
) -> None:
    say_shut_out(me, [activity])
    refused = 0
    with me.deciding() as decider:
        decider.take(checklists.check, activity, ())  # who may not check hears it before the first item
        if sys.stdin.isatty():
            say(f"{activity}: scan items; Ctrl-D ends")
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")  # a garbled code is an unknown item
        for line in iter(sys.stdin.readline, ""):
            if line.strip():
                answer = _answer(decider, activity, line)
                refused += answer["answer"] == "refused"
                said = shown_in_json(json.dumps(answer, ensure_ascii=False)) if as_json else _in_words(answer)
                print(said, flush=True)
    if refused:
        raise InputError(f"{refused} scans were refused", hint="what was answered ok is recorded")


def _answer(decider: Deciding, activity: str, line: str) -> Document:
    try:
        found = decider.take(checklists.scan, activity, line)
    except UnreachableError:
        raise
    except ClusterwrightError as error:
        return {
            "answer": "refused",
            "item": line.strip()[:100],
            "why": error.what,
            "hint": error.hint,
        }
    answer = "already" if found.already else "ok"
    return {"answer": answer, "item": found.item, "passed": found.passed, "items": found.items}


def _in_words(answer: Document) -> str:
    if answer["answer"] == "refused":
        said = f"{answer['why']}; {answer['hint']}".rstrip("; ")
        if sys.stdin.isatty():
            print("\a", end="", file=sys.stderr)  # who scans looks at the rack
    else:
        of = f" of {answer['items']}" if answer["items"] is not None else ""
        said = f"{answer['item']} ({answer['passed']}{of})"
    return in_line(f"{answer['answer']:<8} {said}")
