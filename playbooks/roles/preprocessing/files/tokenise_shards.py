#!/opt/preprocessing/bin/python
"""Turns files of text into files of tokens: one JSON document a line in NAME.jsonl, 32-bit little-endian numbers in NAME.tokens."""

import argparse
import hashlib
import json
import sys
import time
from array import array
from pathlib import Path

from tokenizers import Tokenizer

BATCH = 1000


def main() -> None:
    """Tokenise this worker's files that are not there yet."""
    options = _parser().parse_args()
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    of = hashlib.sha256(options.tokenizer.read_bytes()).hexdigest()
    options.output.mkdir(parents=True, exist_ok=True)
    for file in sorted(options.input.glob("*.jsonl"))[options.worker :: options.workers]:
        done = options.output / f"{file.stem}.json"
        if not done.exists():
            said = tokenise(tokenizer, file, options.output / f"{file.stem}.tokens") | {"tokenizer_sha256": of}
            _write(done, json.dumps(said, indent=1).encode())


def tokenise(tokenizer: Tokenizer, file: Path, output: Path) -> dict:
    """Write a file's tokens, documents one after the other, and return its description."""
    began, raw = time.monotonic(), file.read_bytes()
    texts = [json.loads(line)["text"] for line in raw.splitlines()]
    tokens, ends = array("I"), []
    for start in range(0, len(texts), BATCH):
        for encoding in tokenizer.encode_batch(texts[start : start + BATCH]):
            tokens.extend(encoding.ids)
            ends.append(len(tokens))
    if sys.byteorder == "big":
        tokens.byteswap()
    _write(output, tokens.tobytes())
    return {
        "documents": len(texts),
        "tokens": len(tokens),
        "ends": ends,
        "seconds": round(time.monotonic() - began, 3),
        "text_sha256": hashlib.sha256(raw).hexdigest(),
        "tokens_sha256": hashlib.sha256(tokens.tobytes()).hexdigest(),
    }


def _write(file: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    fresh = file.with_name(f".{file.name}.part")
    fresh.write_bytes(content)
    fresh.replace(file)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path, help="folder of text")
    parser.add_argument("output", type=Path, help="folder of tokens")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of the model")
    parser.add_argument("--worker", type=int, default=0, help="number of this worker, from 0")
    parser.add_argument("--workers", type=int, default=1, help="how many there are")
    return parser


if __name__ == "__main__":
    main()
