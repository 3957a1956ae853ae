"""Where events are stored: in a file in the site's folder, or in PostgreSQL with a copy in each folder."""
