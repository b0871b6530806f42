"""Every operation on memory, one file per noun; transactions begin and end here."""
