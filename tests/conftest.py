"""Every test runs with the toy game registered beside the games of the package."""

from . import support  # noqa: F401 - registers the toy game before any test is collected
