"""Look at the site."""
