"""`python -m unveil`."""

from __future__ import annotations

import sys

from unveil.command.main import program

sys.exit(program())
