"""Photos on a page are the way up that the camera noted."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageStat

from clusterwright.reports.photos import photos
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.work.decisions import start
from ledger.subjects.work.evidence_decisions import attach
from tests.ledger.conftest import T0, Clock, begun, small_plan

ACTIVITY = "001@site"
ORIENTATION, ON_ITS_RIGHT_SIDE = 0x0112, 6
BLACK, WHITE = 40, 215


def photo_of_a_held_phone() -> bytes:
    """Return a photo that was taken upright: white above black. Its file has it lying, white on the left, and notes that."""
    lying = Image.new("L", (640, 480))
    lying.paste(255, (0, 0, 320, 480))
    noted = Image.Exif()
    noted[ORIENTATION] = ON_ITS_RIGHT_SIDE
    out = BytesIO()
    lying.convert("RGB").save(out, "JPEG", exif=noted)
    return out.getvalue()


def test_a_photo_is_the_way_up_that_the_camera_noted(tmp_path: Path) -> None:
    with begun(tmp_path, Clock()) as ledger:
        adopt_plan(ledger, "pm", small_plan(), reason="first plan")
        start(ledger, "tech", ACTIVITY)
        attach(ledger, "tech", ACTIVITY, photo_of_a_held_phone(), "photo", name="rack.jpg")
    with open_snapshot(tmp_path) as snapshot:
        (shown,) = photos(snapshot, T0, 1)

    picture = Image.open(BytesIO(shown.jpeg)).convert("L")
    middle = picture.height // 2
    above, below = picture.crop((0, 0, picture.width, middle)), picture.crop((0, middle, picture.width, picture.height))
    assert ImageStat.Stat(above).mean[0] > WHITE
    assert ImageStat.Stat(below).mean[0] < BLACK
