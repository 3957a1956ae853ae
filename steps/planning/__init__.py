"""Makes a plan from a design and the catalog: activity network, calendars, critical path, orders."""
