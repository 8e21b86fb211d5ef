"""What `posewright demo` does: a story in chapters, from nothing but what ships with the package."""
