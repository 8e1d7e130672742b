"""Where compiled kernels are kept if Numba can write neither beside the package nor in the home folder.

That is so in containers with a read-only package. Numba would refuse to define the kernels; here they are kept in a
private temporary folder, or nowhere. What Numba keeps is loaded as code, so the folder must belong to this user alone.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_NOWHERE = ""
_state: dict[str, str | None] = {"folder": None}  # None where Numba finds a folder


def with_cache(define: Callable[..., Any], **options: Any) -> Any:
    """``define(cache=True, …)``, where necessary with another folder for the cache, or without one."""
    if _state["folder"] is None:
        try:
            return define(cache=True, **options)
        except RuntimeError as error:
            if "no locator available" not in str(error):
                raise
            _choose_folder(lambda: define(cache=True, **options))
    if _state["folder"] == _NOWHERE:
        return define(**options)
    with _cache_in(_state["folder"]):
        return define(cache=True, **options)


def kept_elsewhere() -> str | None:
    """A description of where kernels are kept in place of Numba's folders; None where those can be written."""
    if _state["folder"] is None:
        return None
    return f"kept in {_state['folder']}" if _state["folder"] else "kept nowhere, every session compiles anew"


def _choose_folder(define: Callable[[], Any]) -> None:
    """Use a temporary folder if a kernel can be defined with it, and warn once."""
    folder = _private_folder()
    try:
        with _cache_in(folder):
            define()
    except RuntimeError:
        folder = _NOWHERE
    _state["folder"] = folder
    message = (
        f"probus can write neither beside its modules nor in the home folder: compiled kernels are {kept_elsewhere()}. "
        "Set NUMBA_CACHE_DIR to a folder that can be written."
    )
    with suppress(Warning):  # where warnings are errors, importing must work too
        warnings.warn(message, UserWarning, stacklevel=2)


@contextmanager
def _cache_in(folder: str | None) -> Iterator[None]:
    """Numba's setting of the folder, for the kernels defined within the block only."""
    from numba import config

    former, config.CACHE_DIR = config.CACHE_DIR, folder or ""
    try:
        yield
    finally:
        config.CACHE_DIR = former


def _private_folder() -> str:
    """A temporary folder of this user and this installation, the same in every process; else a new one; else none."""
    try:
        # Numba compares the source of a kernel, not that of its parts: after an upgrade the folder is another one
        installed = os.stat(__file__).st_mtime_ns
        user = os.getuid() if hasattr(os, "getuid") else "user"
        folder = Path(tempfile.gettempdir(), f"probus-kernels-{user}-{installed:x}")
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        if _is_private(folder):
            return str(folder)
        own = tempfile.mkdtemp(prefix="probus-kernels-")
    except OSError:
        return _NOWHERE
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


def _is_private(folder: Path) -> bool:
    """Whether it is a folder, not a link, that only this user can change."""
    found = os.lstat(folder)
    owned = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    return stat.S_ISDIR(found.st_mode) and owned
