"""Plan the buildout."""
