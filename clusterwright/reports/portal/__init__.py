"""A site as a folder of pages, which opens from a USB stick: no network, no server, and links from each page to the others."""
