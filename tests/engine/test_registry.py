"""The registry: folders of the package and games registered from outside are found by name."""

import dataclasses

import pytest

import heist_envs
from heist_envs.engine.errors import HeistError
from heist_envs.engine.registry import GAMES

from ..support import toy_game


def test_every_folder_with_an_about_file_is_a_game():
    folders = {file.parent.name for file in GAMES.glob("*/about.toml")}
    assert folders and folders <= set(heist_envs.game_names())
    assert heist_envs.game_names() == sorted(heist_envs.game_names())


def test_a_registered_game_works_by_its_name():
    assert toy_game.GAME.name in heist_envs.game_names()
    assert heist_envs.load_game(toy_game.GAME.name) is toy_game.GAME
    assert heist_envs.about(toy_game.GAME.name) is toy_game.GAME.about


def test_unknown_games_are_refused_with_the_closest():
    with pytest.raises(HeistError, match="unknown game 'toygame' - did you mean 'toy_game'.* Allowed: .*toy_game"):
        heist_envs.load_game("toygame")


def test_a_name_of_the_package_cannot_be_taken():
    inside = next(file.parent.name for file in GAMES.glob("*/about.toml"))
    impostor = dataclasses.replace(toy_game.GAME, about=dataclasses.replace(toy_game.GAME.about, name=inside))
    with pytest.raises(HeistError, match=f"there is already a game '{inside}'.*another name"):
        heist_envs.register(impostor)
