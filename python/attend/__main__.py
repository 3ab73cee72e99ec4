"""The command line: the console script ``attend``, and ``python -m attend``."""

from __future__ import annotations

import os
import signal
import sys

from attend import _attend


def main() -> None:
    """Runs the program `attend` with the arguments of this process."""
    # As in a program without Python: these signals end it, or stop a training cleanly.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # Arguments are bytes: names of files need not be UTF-8.
    sys.exit(_attend.run_program([os.fsencode(one) for one in ("attend", *sys.argv[1:])]))


if __name__ == "__main__":
    main()
