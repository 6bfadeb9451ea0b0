"""The processor time of a process and of all processes that it has started."""

import time

import psutil

SETTLED = 0.005
"""The seconds to wait until the system has counted the time of a process that just ended."""


def processor_time() -> float:
    """Return the processor seconds of this process and its descendants, including ended ones.

    The time of the descendants is counted in hundredths of a second, without bias.
    """
    time.sleep(SETTLED)
    found = time.process_time()
    for each in psutil.Process().children(recursive=True):
        try:
            times = each.cpu_times()
        except psutil.NoSuchProcess:
            continue
        found += times.user + times.system + times.children_user + times.children_system
    return found
