"""Settings of the tests of plugins: those of all tests."""

from __future__ import annotations

from tests.conftest import pytest_runtest_makereport as pytest_runtest_makereport
