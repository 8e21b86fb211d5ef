"""`python -m posewright` is the command `posewright`, for environments whose scripts are not on the path."""

from posewright.cli import main

if __name__ == "__main__":
    main()
