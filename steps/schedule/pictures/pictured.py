"""What a picture can be of."""

from __future__ import annotations

from steps.schedule.pictures.crew_histogram import CrewHistogram
from steps.schedule.pictures.gantt import Gantt
from steps.schedule.pictures.neighbourhood import Neighbourhood
from steps.schedule.pictures.p_curve import PCurve
from steps.schedule.pictures.plan_tornado import PlanTornado
from steps.schedule.pictures.s_curve import SCurve

Pictured = Gantt | SCurve | PCurve | PlanTornado | CrewHistogram | Neighbourhood
