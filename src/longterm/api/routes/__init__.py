"""Routes, one file per noun: translate in, call the operation, translate out."""
