"""Objects of other people: by their names (`package.module:name`), and told from one another."""

from __future__ import annotations

import hashlib
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from tophit.errors import UsageError, unknown

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*:[A-Za-z_][\w.]*")


def is_name(written: str) -> bool:
    """Whether a text is PACKAGE.MODULE:NAME, and no file of that name is there.

    >>> is_name("shop.search:find"), is_name("C:/runs/bm25.jsonl")
    (True, False)
    """
    return bool(_NAME.fullmatch(written)) and not Path(written).exists()


def named_object(written: str) -> Any:
    """What PACKAGE.MODULE:NAME stands for; modules of the current folder are found too.

    Errors: `UsageError` where the module or the name is not there, or the module fails.

    >>> named_object("math:sqrt")(4)
    2.0
    """
    module_name, _, name = written.partition(":")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        raise UsageError(f"{written}: there is no module {error.name!r}") from error
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise UsageError(f"{written}: the module fails with {said}") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise unknown(f"name in {module_name}", part, [n for n in vars(found) if n[:1] != "_"])
        found = getattr(found, part)
    return found


def is_of(given: Any, package: str, *classes: str) -> bool:
    """Whether an object is of one of a package's classes; the package is not imported for it.

    >>> is_of({}, "langchain_core", "BaseRetriever")
    False
    """
    return any(
        base.__name__ in classes and base.__module__.split(".")[0] == package
        for base in type(given).__mro__
    )


def code_of(given: Any) -> str:
    """What tells this code from another: module, name, text of its file, and its instructions."""
    owner = given if hasattr(given, "__qualname__") else type(given)
    module = str(getattr(owner, "__module__", ""))
    file = getattr(sys.modules.get(module), "__file__", None)
    try:
        text = Path(file).read_bytes() if file else b""
    except OSError:
        text = b""
    code = getattr(owner, "__code__", None)
    if code is not None:  # two lambdas of one file have one name
        text += code.co_code + repr((code.co_names, code.co_firstlineno)).encode()
    return f"{module}:{owner.__qualname__}:{hashlib.sha256(text).hexdigest()}"
