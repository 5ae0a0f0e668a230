"""Python files of other people, such as policies and claims: run as a module, and what is wrong is one line."""

import re
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb, format_exception
from types import CodeType, ModuleType

from teltheory.base.input_files import check_file
from teltheory.errors import FileError


class _Fresh(SourceFileLoader):
    """Compiles what the file says now, and writes nothing beside it."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def run_file(file: Path, name: str, expected: str) -> ModuleType:
    """Run a Python file as a module of a name, and return it.

    Raises
    ------
    FileError
        If there is no such file, or if it raises something: with the line that did.
    """
    check_file(file, expected)
    spec = spec_from_file_location(name, file, loader=_Fresh(name, str(file)))
    if spec is None or spec.loader is None:
        raise FileError(f"{file}: found no Python file, expected {expected}")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        raise ended(file, error) from None
    except Exception as error:
        line = line_of(error, file)
        place = str(file) if line is None else f"{file}, line {line}"
        said = error.msg if isinstance(error, SyntaxError) else error
        raise FileError(f"{place}: found {type(error).__name__}: {said}, expected a file that runs") from error
    return module


def line_of(error: BaseException, file: Path) -> int | None:
    """Return the line of a file that raised an error, the innermost one; None if none of its lines did."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    lines = (frame.lineno for frame in reversed(extract_tb(error.__traceback__)) if frame.filename == str(file))
    return next(lines, None)


def ended(file: Path | str | None, error: SystemExit) -> FileError:
    """Return the error about a file that would end the program that runs it."""
    return FileError(f"{file}: found that the file ended the program ({error!r}), expected a file that runs")


def broken_by(error: BaseException) -> FileError | None:
    """Return the error about a file that was run and later raised this, here or in another process.

    None if no line of such a file did.
    """
    own = {module.__file__ for module in list(sys.modules.values()) if _is_fresh(module)}
    lines = re.findall(r'File "(.+)", line (\d+)', "".join(format_exception(error)))
    for file, line in reversed(lines):
        if str(Path(file).absolute()) in own:
            found = f"{type(error).__name__}: {error}"
            return FileError(f"{file}, line {line}: found {found}, expected code that raises no error")
    return None


def _is_fresh(module: ModuleType) -> bool:
    return isinstance(getattr(getattr(module, "__spec__", None), "loader", None), _Fresh)
