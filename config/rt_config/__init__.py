"""Ground: settings, errors, paths and data."""
