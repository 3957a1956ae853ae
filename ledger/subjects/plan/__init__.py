"""The site's own record: genesis, the version of the rules, adopted plans, progress from before, forecasts."""
