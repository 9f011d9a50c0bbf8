# The two commands are `make train GAME=banquefall` and `make test`; both set up `.venv` first if that is needed.
# ARGS="..." passes flags on; PYTHON=python3.12 chooses the Python that `.venv` is made with.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --quiet --disable-pip-version-check -c constraints.txt
READY := $(VENV)/ready
UNFINISHED := $(VENV)/unfinished
GAMES := $(patsubst heist_envs/games/%/about.toml,%,$(sort $(wildcard heist_envs/games/*/about.toml)))

# READY holds the folder it was made in: an editable install does not survive being moved or copied.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif

.PHONY: help setup train test browser leaderboard submit-check bench lint docs clean no_such_game no_such_agent

help:
	@echo "make setup                 make .venv with the pinned dependencies"
	@echo "make train GAME=<game>     train, evaluate, say where the results are   ($(GAMES))"
	@echo "make test                  run all tests"
	@echo "make leaderboard GAME=<game>         play all agents against each other where no row says how it went (default: all games)"
	@echo "make submit-check AGENT=<folder>     say whether an agent may enter the leaderboard, and what is wrong if not"
	@echo "make bench                 measure the speed of this machine"
	@echo "make lint                  check style"
	@echo "make docs                  write the generated parts of the README files"
	@echo "make clean                 remove .venv and caches, keep runs/"
	@echo "ARGS=\"...\" passes flags on, for example: make train GAME=banquefall ARGS=\"--num-players 3\""

setup: $(READY)

# A set-up that was interrupted, or whose Python has gone, is begun again; a changed pin only installs what differs.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("heist_envs needs Python 3.11 or newer, this is " + sys.version.split()[0] \
		+ "; name another one: make setup PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@if [ -e $(UNFINISHED) ] || ! $(RUN) -m pip --version >/dev/null 2>&1; then $(PYTHON) -m venv --clear $(VENV); fi
	@echo "Installing the pinned dependencies into $(VENV); the first time this takes some minutes."
	@touch $(UNFINISHED)
	@$(PIP) -e ".[train,leaderboard,dev]"
	@rm $(UNFINISHED)
	@printf %s "$(CURDIR)" >$(READY)

no_such_game:
	@echo "Name a game: make train GAME=<game>, where <game> is one of: $(GAMES)." >&2; exit 2

train: $(if $(filter $(GAMES),$(GAME)),$(READY),no_such_game)
	@$(RUN) training/train.py --game $(GAME) $(ARGS)

# The leaderboard's page is tested in a real Chromium, which pip has not: apt installs it where it can, elsewhere Selenium
# fetches a browser of its own when the tests begin.
browser:
	@command -v chromedriver >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1 || { \
		echo "Installing Chromium, in which the pages are tested."; \
		root=$$(if [ "$$(id -u)" != 0 ]; then echo "sudo -n"; fi); \
		get="$$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300"; \
		{ $$get update; $$get install -y --no-install-recommends chromium chromium-driver; } >/dev/null 2>&1 </dev/null \
			|| echo "Chromium could not be installed: apt-get install chromium chromium-driver" >&2; }

test: $(READY) browser
	@$(RUN) -m heist_envs warm
	@$(RUN) -m pytest -n 2 $(ARGS)

leaderboard: $(READY)
	@$(RUN) benchmarks/leaderboard.py --game $(or $(GAME),all) $(ARGS)

no_such_agent:
	@echo "Name a folder: make submit-check AGENT=<folder>, see benchmarks/SUBMITTING.md." >&2; exit 2

submit-check: $(if $(AGENT),$(READY),no_such_agent)
	@$(RUN) benchmarks/submit_check.py "$(AGENT)" $(ARGS)

bench: $(READY)
	@$(RUN) -c 'import pygame' >/dev/null 2>&1 || $(PIP) -e ".[bench]"
	@$(RUN) benchmarks/speed.py $(ARGS)

lint: $(READY)
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .

docs: $(READY)
	@$(RUN) -m heist_envs.describe

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
