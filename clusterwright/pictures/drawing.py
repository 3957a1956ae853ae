"""From data to the picture that shows them."""

from typing import assert_never

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


def picture_of(found: Pictured, *, site: str, zone: str) -> Picture:
    """Return the picture of data of any kind, with the site's name and days in its time zone."""
    match found:
        case Gantt():
            return gantt_picture(found, site=site, zone=zone)
        case SCurve():
            return s_curve_picture(found, site=site, zone=zone)
        case PCurve():
            return p_curve_picture(found, site=site, zone=zone)
        case PlanTornado():
            return tornado_picture(found, site=site, zone=zone)
        case CrewHistogram():
            return crews_picture(found, site=site, zone=zone)
        case Neighbourhood():
            return neighbourhood_picture(found, site=site, zone=zone)
        case _:
            assert_never(found)
