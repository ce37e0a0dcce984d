"""What every test may use."""

pytest_plugins = ["testbed.fixtures"]
