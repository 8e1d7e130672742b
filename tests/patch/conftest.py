"""The scripts are run by a test, never collected."""

collect_ignore = ["scripts"]
