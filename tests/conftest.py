# SPDX-License-Identifier: BSD-2-Clause
"""What takes longest begins first, or one of the workers would be left alone with it at the end."""

LONG = 300  # seconds that a test says it may take (pytest.mark.timeout)


def may_take(item):
    marker = item.get_closest_marker("timeout")
    return marker.args[0] if marker and marker.args else 0


def pytest_collection_modifyitems(items):
    """Those in order of what they may take; the others stay in theirs."""
    items.sort(key=lambda item: -may_take(item) if may_take(item) >= LONG else 0)
