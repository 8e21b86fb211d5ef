"""Sessions and files: the folder that the user named, projects, what is saved unasked, opening and exporting."""
