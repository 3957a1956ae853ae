"""From a design to dates that people keep: the network of a site's activities, its dates, its odds, and a forecast from its record."""
