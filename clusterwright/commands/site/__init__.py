"""Set up the site."""
