"""Every numbered section of a game's rules is carried out by a rule function and checked by a test, both by number."""

import ast
import re

import heist_envs

from ..support import ROOT, each_game, toy_game

SECTION = re.compile(r"^### ([1-7]\.\d+)\b", re.MULTILINE)
NUMBER = re.compile(r"(?<![\d.])[1-7]\.\d+(?![\d.]*\d)")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def sections_named(files, names_too=False):
    """The section numbers in the docstrings of some files; with `names_too` also in function names (`test_4_2_...`)."""
    found = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, DOCUMENTED):
                found.update(NUMBER.findall(ast.get_docstring(node) or ""))
            if names_too and isinstance(node, ast.FunctionDef):
                found.update(f"{a}.{b}" for a, b in re.findall(r"(?:^|_)([1-7])_(\d+)(?=_|$)", node.name))
    return found


def sections(name):
    return SECTION.findall((heist_envs.about(name).folder / "RULES.md").read_text(encoding="utf-8"))


def rule_tests(name):
    """The files with a game's rule tests."""
    folder = toy_game.GAME.about.folder if name == toy_game.GAME.name else ROOT / "tests" / "games" / name
    return sorted(folder.glob("test_*.py"))


def rule_files(name):
    return [file for file in heist_envs.about(name).folder.glob("*.py") if not file.name.startswith("test_")]


@each_game
def test_rules_have_numbered_sections(name):
    numbers = sections(name)
    assert numbers and len(set(numbers)) == len(numbers)


@each_game
def test_every_section_is_named_by_a_rule(name):
    assert sorted(set(sections(name)) - sections_named(rule_files(name))) == []


@each_game
def test_every_section_is_named_by_a_test(name):
    assert sorted(set(sections(name)) - sections_named(rule_tests(name), names_too=True)) == []


@each_game
def test_rules_cite_only_sections_that_exist(name):
    text = (heist_envs.about(name).folder / "RULES.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^### (\d\.\d+)\b", text, re.MULTILINE))
    assert sorted(sections_named(rule_files(name)) - known) == []
