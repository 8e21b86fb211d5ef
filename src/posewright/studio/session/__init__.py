"""What is being edited, without any web: states, commands, the journal that makes a session, and live drags."""
