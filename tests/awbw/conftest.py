"""Fixtures that run the command line in a folder of each test's own."""

from __future__ import annotations

from tests.cli.conftest import tilewright as tilewright
from tests.cli.conftest import use_temporary_folder as use_temporary_folder
