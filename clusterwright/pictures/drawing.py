"""From data to the picture that shows them."""

from collections.abc import Callable

from clusterwright.pictures.canvas import Picture
from clusterwright.pictures.crews import crews_picture
from clusterwright.pictures.curves import p_curve_picture, s_curve_picture
from clusterwright.pictures.gantt import gantt_picture
from clusterwright.pictures.neighbourhood import neighbourhood_picture
from clusterwright.pictures.tornado import tornado_picture
from steps.planning.pictures.crew_histogram import CrewHistogram
from steps.planning.pictures.gantt import Gantt
from steps.planning.pictures.neighbourhood import Neighbourhood
from steps.planning.pictures.p_curve import PCurve
from steps.planning.pictures.pictured import Pictured
from steps.planning.pictures.plan_tornado import PlanTornado
from steps.planning.pictures.s_curve import SCurve

PICTURES: dict[type, Callable[..., Picture]] = {
    Gantt: gantt_picture,
    SCurve: s_curve_picture,
    PCurve: p_curve_picture,
    PlanTornado: tornado_picture,
    CrewHistogram: crews_picture,
    Neighbourhood: neighbourhood_picture,
}


def picture_of(found: Pictured, *, site: str, zone: str) -> Picture:
    """Return the picture of data of any kind, with the site's name and days in its time zone."""
    return PICTURES[type(found)](found, site=site, zone=zone)
