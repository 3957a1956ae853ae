"""Makes a sample of text from the licences that every host has, and trains a tokenizer on it. Arguments: the folder, number of files."""

import json
import shutil
import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

LICENCES = Path("/usr/share")
# of Debian and Ubuntu, and of RHEL
PLACES = ("common-licenses/*", "licenses/*/*")


def main() -> None:
    """Write the text, train, save."""
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "text").mkdir(parents=True)
    files = [file for place in PLACES for file in LICENCES.glob(place) if file.is_file()]
    texts = sorted({file.read_text(errors="replace") for file in files})
    documents = [part for text in texts for part in text.split("\n\n") if part.strip()]
    for n in range(number):
        lines = [json.dumps({"text": text}) for text in documents[n::number]]
        (folder / "text" / f"{n:05}.jsonl").write_text("\n".join(lines) + "\n")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=4000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(documents, trainer)
    tokenizer.save(str(folder / "tokenizer.json"))


if __name__ == "__main__":
    main()
