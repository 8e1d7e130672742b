"""Packages import from packages: files that begin with an underscore belong to their package alone."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import probus

ROOT = Path(probus.__file__).parent


class Import(NamedTuple):
    """A name that a module imports from another of ours; the module itself where it imports one."""

    importer: str
    module: str
    name: str


@cache
def sources():
    """The syntax of each file, by the name of its module."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def folders():
    return {".".join(path.parent.relative_to(ROOT.parent).parts) for path in ROOT.rglob("__init__.py")}


@cache
def imports():
    found = []
    for importer, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "probus":
                found += [Import(importer, *where(node.module, each.name)) for each in node.names]
            elif isinstance(node, ast.Import):
                found += [Import(importer, each.name, "") for each in node.names if each.name.startswith("probus.")]
    return found


def where(module, name):
    """The module that a name is, if it is one, and else the module that it is imported from."""
    inner = f"{module}.{name}"
    is_module = inner in sources() and name not in bound(module)
    return (inner, "") if is_module else (module, name)


@cache
def bound(module):
    """The names that a package imports from its modules, which can have the name of a folder."""
    nodes = [node for node in sources()[module].body if isinstance(node, ast.ImportFrom) and node.module != module]
    return {each.asname or each.name for node in nodes for each in node.names}


def package(module):
    return ".".join(module.split(".")[:2])


def is_private(module):
    return any(part.startswith("_") and part != "__main__" for part in module.split("."))


def plain_files():
    """Files within packages whose names have no underscore."""
    inside = {module for module in sources() if module.count(".") > 1} - folders()
    return {module for module in inside if not is_private(module) and not module.endswith(".__main__")}


def listed(module):
    """What ``__all__`` of a module lists, or None."""
    for node in sources()[module].body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            return {each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant)}
    return None


def from_elsewhere():
    """The names that packages import from each module of another package."""
    found = defaultdict(set)
    for each in imports():
        if package(each.importer) != package(each.module):
            found[each.module].add(each.name)
    return found


def test_files_with_an_underscore_are_imported_by_their_package_only():
    strangers = [each for each in imports() if package(each.importer) != package(each.module)]
    private = [each for each in strangers if is_private(each.module) or each.name.startswith("_")]
    assert [each for each in private if each.name != "__version__"] == []


def test_files_without_an_underscore_list_what_other_packages_import():
    needed = from_elsewhere()
    for module in plain_files():
        parent, _, name = module.rpartition(".")
        assert needed[module] or name in listed(parent), f"no other package uses {module}: give it an underscore"
        assert needed[module] - {""} <= (listed(module) or set()), f"{module} does not list all that others import"


def test_files_with_an_underscore_have_no_list_of_public_names():
    assert [module for module in sources() if is_private(module) and listed(module) is not None] == []


def test_what_a_package_lists_is_imported_from_the_package():
    past = [
        each
        for each in imports()
        if package(each.importer) != package(each.module) != each.module
        and package(each.module) in folders()
        and each.name in (listed(package(each.module)) or set()) & bound(package(each.module))
    ]
    assert past == []


def test_packages_import_what_somebody_needs():
    """Users, other modules, or the ``__init__`` itself."""
    taken = {(each.module, each.name) for each in imports()}
    for folder in folders() - {"probus"}:
        tree = sources()[folder]
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | (listed(folder) or set())
        spare = {name for name in bound(folder) - used if (folder, name) not in taken}
        assert spare <= {"annotations"}, f"nobody needs {sorted(spare)} of {folder}"


def test_documentation_names_no_file_that_cannot_be_imported():
    """A sentence of help() sends its readers to packages and public files only."""
    named = [
        (module, found.group())
        for module, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        for found in re.finditer(r"\bprobus(\.\w+)*\._[a-z]\w*", ast.get_docstring(node) or "")
    ]
    assert named == []
