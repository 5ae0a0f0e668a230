"""Under TELTHEORY_NO_SKIPS a test that is skipped fails the run, which lists each with its reason."""

import os

import pytest

VARIABLE = "TELTHEORY_NO_SKIPS"


def skips(config):
    """Every skipped test or module of all workers with its reason, once."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or not os.environ.get(VARIABLE):
        return []
    return sorted({f"{report.nodeid}: {_reason(report)}" for report in terminal.stats.get("skipped", ())})


def _reason(report):
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)


def pytest_sessionfinish(session):
    if session.exitstatus == pytest.ExitCode.OK and skips(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    found = skips(config)
    if found:
        terminalreporter.section(f"{len(found)} skipped, expected none ({VARIABLE})", red=True)
        for line in found:
            terminalreporter.line(line)
