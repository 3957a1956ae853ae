"""What a picture can be of."""

from __future__ import annotations

from steps.planning.pictures.crew_histogram import CrewHistogram
from steps.planning.pictures.gantt import Gantt
from steps.planning.pictures.neighbourhood import Neighbourhood
from steps.planning.pictures.p_curve import PCurve
from steps.planning.pictures.plan_tornado import PlanTornado
from steps.planning.pictures.s_curve import SCurve

Pictured = Gantt | SCurve | PCurve | PlanTornado | CrewHistogram | Neighbourhood
