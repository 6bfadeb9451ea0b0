"""The processor time of a process and of all processes that it has started."""

import time

import psutil

SETTLED = 0.005
"""The seconds in which the system counts the time of a process that has just ended."""


def processor_time() -> float:
    """Return the processor seconds of this process and of its descendants, ended ones included.

    The time of other processes is counted in hundredths of a second, without bias.
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
