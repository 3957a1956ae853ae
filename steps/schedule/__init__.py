"""From a design and the catalog to dates: activity network, calendars, critical path, orders."""
