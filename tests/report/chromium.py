"""A Chromium without a window, and pages in it that may not complain and may not ask for anything."""

import shutil
from contextlib import contextmanager

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def chromium():
    """The browser of one file of tests, as its event loop would stop others; without one they are skipped."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(f"no Chromium on the path, looked for {', '.join(PROGRAMS)}: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield browser
        browser.close()


@contextmanager
def opened(browser, file, fragment="", **context):
    """A page that is opened; what it says, asks for and throws is held against it in the end."""
    view = browser.new_context(**context)
    page, complaints, asked = view.new_page(), [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    address = file.as_uri()
    page.goto(address + fragment)
    yield page
    view.close()
    assert complaints == []
    assert {url for url in asked if not url.startswith("data:")} == {address}
