# SPDX-License-Identifier: BSD-2-Clause
"""What the launcher says of its own: on standard error, as standard output belongs to the guest."""

import sys


def say(text):
    sys.stderr.write(f"quipu: {text}\n")
    sys.stderr.flush()
