"""What `posewright demo` tells: a story in chapters, from nothing but what ships with the package."""
