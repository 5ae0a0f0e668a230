"""Commands in a terminal of so many columns: `python narrow.py COLUMNS COMMANDS`, a list of lists as JSON."""

import fcntl
import json
import os
import pty
import struct
import sys
import termios
import threading

from click import unstyle


def printed(columns, commands, python=sys.executable):
    """Return what the commands print in a terminal of so many columns, one after the other in one process."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    found = []
    reading = threading.Thread(target=lambda: found.extend(iter(lambda: _read(ours), b"")))
    reading.start()
    child = os.posix_spawn(
        python,
        [python, __file__, json.dumps([[str(word) for word in command] for command in commands])],
        {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"},
        file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 1), (os.POSIX_SPAWN_DUP2, theirs, 0)],
    )
    _, status = os.waitpid(child, 0)
    os.close(theirs)
    reading.join()
    os.close(ours)
    assert os.waitstatus_to_exitcode(status) == 0
    return unstyle(b"".join(found).decode().replace("\r\n", "\n"))


def _read(terminal):
    try:
        return os.read(terminal, 2**16)
    except OSError:
        return b""


if __name__ == "__main__":
    from teltheory.cli import main

    for asked in json.loads(sys.argv[1]):
        try:
            main(asked)
        except SystemExit as stop:
            if stop.code:
                raise
