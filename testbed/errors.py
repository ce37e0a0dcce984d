"""The one error of this package: a sentence that says what happened, why, and what to do."""


class TestbedError(Exception):
    """A testbed could not be built, started or used."""

    __test__ = False  # pytest would take the name for a class of tests
