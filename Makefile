# Everything runs in .venv, which `make venv` creates from constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: venv lint test test-long test-unit test-functional thrift-test connect-test \
	cluster-test s3-test rest-test metastore-test versions-test kill-test fuzz bench scale bench-report docs site dist demo clean

venv: $(STAMP)

$(STAMP): setup.py pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev,docs]'
	touch $@

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Two processes with a Spark each; tests/conftest.py says which tests run on which.
test: venv
	$(BIN)/python -m pytest -n 2 --durations=40

# All batches and random queries, for which CI has no time.
test-long: export IVM_LONG = 1
test-long: test

test-unit: venv
	$(BIN)/python -m pytest tests/unit

test-functional: venv
	$(BIN)/python -m pytest tests/functional

# The same tests of ivm, where dbt reaches a server that the tests start from the installed pyspark.
thrift-test: venv
	$(BIN)/python -m pytest -n 2 --method thrift tests/functional/ivm

connect-test: venv
	$(BIN)/python -m pytest -n 2 --method connect tests/functional/ivm

# On a standalone cluster that the tests start, a Spark of dbt's own and one behind Thrift.
cluster-test: venv
	$(BIN)/python -m pytest --cluster tests/functional/cluster tests/functional/ivm/test_protocol.py
	$(BIN)/python -m pytest --cluster --method thrift \
		tests/functional/cluster/test_killed_worker.py tests/functional/ivm/test_protocol.py

# With all tables in an S3 store: moto's server, which is installed with this.
s3-test: venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev,s3]'
	$(BIN)/python -m pytest --store s3 tests/functional/stores tests/functional/ivm/test_protocol.py
	IVM_LONG=1 $(BIN)/python -m pytest --store s3 \
		tests/functional/kills/test_kills.py tests/functional/kills/test_rivals.py

# With all Iceberg tables in a REST catalog: the server of Iceberg's own tests, which mvn fetches.
rest-test: venv
	$(BIN)/python -m pytest --iceberg-catalog rest tests/functional/stores/test_iceberg_rest.py \
		tests/functional/ivm/test_iceberg.py tests/functional/ivm/test_change_sources.py::TestIceberg

# Two dbt processes on one Hive metastore, in a PostgreSQL that the test starts.
metastore-test: venv
	IVM_LONG=1 $(BIN)/python -m pytest tests/functional/metastore

# Under the oldest and the newest of what pyproject.toml allows, in environments of their own.
versions-test:
	$(PYTHON) tests/versions.py

# dbt is killed KILLS times at random moments, on one warehouse.
KILLS ?= 30
kill-test: venv
	IVM_LONG=1 IVM_KILLS=$(KILLS) $(BIN)/python -m pytest tests/functional/kills

# Random views with new seeds: EXAMPLES on DuckDB, PROJECTS of six through dbt, Spark and Delta.
EXAMPLES ?= 2000
PROJECTS ?= 5
fuzz: venv
	IVM_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -n 2 --dist loadfile tests/differential
	IVM_END_TO_END=$(PROJECTS) $(BIN)/python -m pytest tests/functional/ivm/test_random_views.py
	IVM_KINDS=$(PROJECTS) $(BIN)/python -m pytest tests/functional/ivm/test_random_kinds.py

# For example: make bench BENCH="--suite fractions --scale 1 --models join_aggregate q03"
BENCH ?= --suite tpch --scale 1
bench: venv
	$(BIN)/python -m benchmarks $(BENCH)

# docs/scale.md, from the figures in benchmarks/results/scale.
scale: venv
	$(BIN)/python -m benchmarks.scale

bench-report: venv
	$(BIN)/python -m benchmarks.report

docs: venv
	$(BIN)/python docs/supported_sql.py
	$(BIN)/python docs/shown_by_tests.py
	$(BIN)/python docs/reference.py

# The pages of docs/ as a site, in build/site; a link that leads nowhere is an error.
site: export NO_MKDOCS_2_WARNING = 1
site: venv
	$(BIN)/mkdocs build --quiet --strict

# The sdist, and the wheel from it, as they go to a registry.
dist: venv
	rm -rf dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[release]'
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*

demo: venv
	$(BIN)/python integration_project/demo/demo.py

clean:
	rm -rf $(VENV) build dist logs *.egg-info
