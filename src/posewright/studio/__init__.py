"""The studio: an editor in the browser. `session` is its state, `server` serves it, `web` is the page."""
