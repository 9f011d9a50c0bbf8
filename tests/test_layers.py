"""Who may import whom. Rules know nothing, the engine knows one contract, adapters only translate."""

import ast
import sys

import pytest

from .support import ROOT, run_python

PACKAGE = ROOT / "heist_envs"
ENGINE_FOR_SCRIPTS = {"heist_envs.engine.errors", "heist_envs.engine.registry", "heist_envs.engine.table"}

# layer: (parts of the package it may import besides itself, libraries besides numpy)
LAYERS = {
    "engine": (set(), set()),
    "games": ({"engine"}, set()),
    "policies": ({"engine"}, set()),
    "replay": ({"engine", "policies"}, set()),
    "arena": ({"engine", "policies"}, set()),
    "render": ({"engine"}, set()),
    "envs": ({"engine", "policies"}, {"gymnasium", "pettingzoo", "stable_baselines3", "ray"}),
}
# files that may import more: the one place for each heavy library, and drawings made of the renderer's shapes
ONLY_HERE = {
    "engine/compile.py": {"numba"},
    "policies/network.py": {"torch", "safetensors"},
    "policies/network_players.py": {"torch"},
    "games/*/drawing.py": {"heist_envs.render.scene"},
}


def imports(file, root=ROOT):
    """The full names of all modules (and names imported from packages) that a file imports, at any depth of its code."""
    package = file.relative_to(root).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = list(package[: len(package) - node.level + 1]) if node.level else []
            module = ".".join(start + ([node.module] if node.module else []))
            yield from (f"{module}.{alias.name}" for alias in node.names)


def is_within(name, module):
    return name == module or name.startswith(module + ".")


def is_standard(name):
    return name.partition(".")[0] in sys.stdlib_module_names


def files_of(layer):
    return sorted((PACKAGE / layer).rglob("*.py"))


each_file = pytest.mark.parametrize(
    ("layer", "file"),
    [(layer, file) for layer in LAYERS for file in files_of(layer)],
    ids=lambda value: value if isinstance(value, str) else str(value.relative_to(PACKAGE)),
)


def test_every_folder_is_a_known_layer():
    folders = {file.relative_to(PACKAGE).parts[0] for file in PACKAGE.rglob("*.py") if file.parent != PACKAGE}
    assert folders <= set(LAYERS)


@each_file
def test_files_import_only_what_their_layer_may(layer, file):
    parts, libraries = LAYERS[layer]
    own = "heist_envs." + (f"games.{file.relative_to(PACKAGE).parts[1]}" if layer == "games" else layer)
    allowed = {own, "numpy", *libraries, *(f"heist_envs.{part}" for part in parts)}
    for pattern, more in ONLY_HERE.items():
        if file.relative_to(PACKAGE).match(pattern):
            allowed |= more
    if file == PACKAGE / "games" / "__init__.py":
        allowed = set()
    wrong = [name for name in imports(file) if not is_standard(name) and not any(is_within(name, ok) for ok in allowed)]
    assert wrong == []


@pytest.mark.parametrize("file", files_of("envs"), ids=lambda file: file.name)
def test_an_adapter_knows_one_framework(file):
    libraries = {name.partition(".")[0] for name in imports(file) if not is_standard(name)} - {"heist_envs"}
    assert len(libraries - {"numpy", "gymnasium"}) <= 1


@pytest.mark.parametrize("folder", ["training", "benchmarks"])
def test_scripts_know_no_rules_and_no_inside_of_the_engine(folder):
    for file in sorted((ROOT / folder).rglob("*.py")):
        for name in imports(file):
            assert not is_within(name, "heist_envs.games"), file
            if is_within(name, "heist_envs.engine"):
                assert any(is_within(name, module) for module in ENGINE_FOR_SCRIPTS), (file, name)


def test_the_package_needs_no_scripts_and_no_tests():
    for file in PACKAGE.rglob("*.py"):
        assert not [name for name in imports(file) if name.partition(".")[0] in ("training", "benchmarks", "tests")], file


def test_nothing_but_the_registry_finds_games():
    """Games are found by their folders, never imported by name outside their own."""
    for file in PACKAGE.rglob("*.py"):
        if "games" not in file.relative_to(PACKAGE).parts:
            assert not [name for name in imports(file) if is_within(name, "heist_envs.games")], file


def test_playing_loads_no_training_libraries():
    code = """
import sys, heist_envs
env = heist_envs.make_aec("banquefall")
env.reset(seed=1)
print(*sys.modules)
"""
    loaded = run_python(code).split()
    assert [module for module in ("torch", "ray", "matplotlib", "stable_baselines3") if module in loaded] == []
