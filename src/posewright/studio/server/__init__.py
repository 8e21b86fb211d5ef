"""The server of the studio: who may come in, who waits for what, and what pages are told."""
