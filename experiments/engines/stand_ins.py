"""Stand-ins for packages that SGLang imports and that its prefix cache does not use, unless they are installed."""

import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys

NAMES = {"IPython": "9.0.0", "gguf": "0.17.0", "torchvision": "0.28.0"}


class Anything:
    """Answers to every name and every call."""

    def __getattr__(self, name):
        return self

    def __call__(self, *values, **options):
        """Answer a call."""
        return self


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the packages of `names`, and anything in them."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path, target=None):
        """Find a package of the names."""
        if name.partition(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def exec_module(self, module):
        """Give it a version and every name."""
        module.__version__ = self.names[module.__name__.partition(".")[0]]
        module.__getattr__ = lambda name: missing(module, name)


def missing(module, name):
    """Give any name but the special ones."""
    if name.startswith("__"):
        raise AttributeError(f"module {module.__name__} has no {name}")
    return Anything()


def stand_in():
    """Let the packages that are not installed be imported, and have versions."""
    absent = {name: version for name, version in NAMES.items() if importlib.util.find_spec(name) is None}
    sys.meta_path.append(Finder(absent))
    real = importlib.metadata.version
    importlib.metadata.version = lambda name: absent.get(name) or real(name)
    return sorted(absent)
