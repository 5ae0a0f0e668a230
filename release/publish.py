"""Build, check and test what is uploaded, and upload it with twine.

    python -m release.publish [--dry-run]

1. Changelog, CITATION.cff and package have the same version, and nothing is uncommitted; a dry run only says so.
2. sdist and a wheel for each target are built into dist/, by `ziglang`, and checked; the one of this machine is
   tested outside the repository (`release.wheel`): all tests, in a dry run the quick part, which needs no network.
3. twine uploads them. A dry run says with which command, and ends.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from release import wheel
from teltheory import __version__

ROOT = wheel.ROOT
DIST = ROOT / "dist"


def unready(root: Path, version: str) -> Iterator[str]:
    """Yield what keeps a checkout from being this version."""
    heading = re.search(r"^## (.*)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    found = heading[1] if heading else "nothing"
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", found):
        yield f"CHANGELOG.md: found {found!r} at the top, expected '{version} (YYYY-MM-DD)'"
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff: found another version, expected {version}"
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=False
    )
    if status.returncode or status.stdout:
        yield f"{root}: found changes that are not committed, expected none"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, check, test, upload; return 1 where a step fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="stop before the upload; needs no network")
    dry = parser.parse_args(arguments).dry_run
    found = [*unready(ROOT, __version__)]
    sys.stderr.writelines(f"{line}\n" for line in found)
    if found and not dry:
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir(parents=True)
    with TemporaryDirectory() as folder:
        if wheel.main(["--targets", "--folder", folder, *([] if dry else ["--all"])]):
            return 1
        files = [shutil.copy(file, DIST) for form in ("*.whl", "*.tar.gz") for file in Path(folder).glob(form)]
    command = [sys.executable, "-m", "twine", "upload", "--non-interactive", *files]
    if dry:
        sys.stdout.write(f"dry run: without --dry-run this follows: {' '.join(map(str, command))}\n")
        return 0
    return wheel.run(command)


if __name__ == "__main__":
    sys.exit(main())
