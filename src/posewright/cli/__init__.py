"""The command line."""


def main() -> None:
    """Entry point of `posewright`."""
    raise SystemExit(2)
