"""Proves that servers prepared a sample rightly: every document is read back from its tokens and compared, and the folder is removed.

Argument: the folder of the sample. It runs in the environment of the servers.
"""

import hashlib
import json
import os
import shutil
import sys
from array import array
from pathlib import Path

METRIC = "preprocess.sample_errors"
PYTHON = "/opt/preprocessing/bin/python"


def errors(tokenizer: object, text: Path, tokens: Path) -> "tuple[int, int, float]":
    """Return of one file how many documents are not as they were, and how many tokens a worker made in how many seconds."""
    texts = [json.loads(line)["text"] for line in text.read_text().splitlines()]
    described = tokens / f"{text.stem}.json"
    if not described.exists():
        return len(texts), 0, 0.0
    said, raw = json.loads(described.read_text()), (tokens / f"{text.stem}.tokens").read_bytes()
    if hashlib.sha256(raw).hexdigest() != said["tokens_sha256"]:
        return len(texts), 0, 0.0
    numbers, starts = array("I", raw).tolist(), [0, *said["ends"]]
    back = tokenizer.decode_batch([numbers[a:b] for a, b in zip(starts, said["ends"])])  # noqa: B905  # hosts with Python 3.9
    wrong = sum(one != other for one, other in zip(texts, back)) + abs(len(texts) - len(back))  # noqa: B905  # hosts with Python 3.9
    return wrong, len(numbers), said["seconds"]


def find(folder: Path) -> "tuple[int | None, str]":
    """Compare every file."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    files = sorted((folder / "text").glob("*.jsonl"))
    found = {file.stem: errors(tokenizer, file, folder / "tokens") for file in files}
    wrong = [f"{name}: {bad} documents" for name, (bad, _, _) in found.items() if bad]
    number, seconds = sum(one[1] for one in found.values()), sum(one[2] for one in found.values())
    rate = f", {number / seconds / 1000:.0f} thousand tokens a second of a worker" if seconds else ""
    return sum(one[0] for one in found.values()), "; ".join(wrong[:5]) or f"{len(files)} files, {number} tokens{rate}"


def main() -> None:
    """Compare, remove, report."""
    if sys.executable != PYTHON and Path(PYTHON).exists():
        os.execv(PYTHON, [PYTHON, *sys.argv])
    folder = Path(sys.argv[1])
    if not (folder / "tokenizer.json").exists():
        value, note = None, f"there is no sample in {folder}"
    else:
        value, note = find(folder)
        shutil.rmtree(folder)
    print(json.dumps({METRIC: {"value": value, "note": note}}))


if __name__ == "__main__":
    main()
