# Needs Python 3.11 or newer and make; everything else is installed into .venv from the lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO ?= demo-site
MANAGER_SITE ?= manager-site
SITE ?= screens-day/forty-pods
DASHBOARD_SITE ?= dashboard-site
BENCH_SITE ?= bench-site
LAB_SITE ?= lab-site
PORT ?= 4222
MINUTES ?= 10
PART ?=
# A small machine has two cores. More tests than that run at once: most of them wait, for keys, engines and servers.
CORES ?= 2
JOBS ?= 5
TEST_OPTIONS ?=
TIMELESS := .timeless-tests
LINTERS := lint-ansible lint-types docs lint-yaml lint-catalog lint-style lint-imports
PROPERTIES := tests/schedule tests/steps tests/ledger
ROOMS := schedule steps ledger flows tui clusterwright

# Where it is set, every worker of the tests and every run of Ansible compiles the same files again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo manager pictures dashboard-pictures test test-long test-clocks quick snapshots lint $(LINTERS) lock bench bench-engine bench-found bench-hostile bench-interchange bench-kills bench-learning bench-ledger bench-levelling bench-mutation bench-packages bench-pods bench-properties bench-schedule bench-screens bench-team bench-workshop lab lab-up lab-down lab-clean clean

setup: $(VENV)/.installed

# uv installs the locked, hashed set; bytecode is compiled, so that the first start is as fast as the tenth, but for
# Ansible's collections: ten thousand files of which two are used. A plan of several pods makes the machine code of the schedule's engines,
# which each process of the tests would otherwise make for itself.
$(VENV)/.installed: requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==0.13.8
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	$(BIN)/python -m compileall -qq -j 0 -x /ansible_collections/ $(VENV)/lib || true
	$(BIN)/python -m compileall -q $(ROOMS)
	folder=$$(mktemp -d) && $(BIN)/clusterwright init $$folder/site --preset superpod-4su >/dev/null 2>&1 && $(BIN)/clusterwright plan --site $$folder/site >/dev/null; rm -r $$folder
	touch $@

demo: setup
	$(BIN)/python examples/demo.py $(DEMO)

# A manager's first three weeks on 40 pods; every view is held against the others after each step. It takes four minutes.
manager: setup
	$(BIN)/python examples/manager.py $(MANAGER_SITE)
	cp $(MANAGER_SITE)/manager.md docs/evidence/manager.md

# The docs as a site in docs-site/, to be opened in a browser: no network, neither here nor there. A warning is a failure: pages that
# are in no list, and links and headings that are not there. It makes the reference pages that follow from the code.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --config-file docs/site/mkdocs.yml

# The screens and pages of a site in mid-build, as the docs show them: one that the scripted day leaves (tmux, chromium), if no other is named.
pictures: setup dashboard-pictures
	test -f $(SITE)/ledger.db || $(BIN)/python examples/screens_day.py $(patsubst %/,%,$(dir $(SITE)))
	$(BIN)/python -m docs.pictures $(SITE)

# The dashboard of eight servers in mid-build, with a run that failed and a sign-off that is requested (chromium). It takes some minutes.
dashboard-pictures: setup
	$(BIN)/python -m docs.dashboard_pictures $(DASHBOARD_SITE) $(PORT)

# Both passes run, whatever the first one finds; the ledger's tests run on both databases. The first pass writes down which tests
# never ask for the time, for `make test-clocks`.
test: setup
	status=0; \
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup --timeless=$(TIMELESS) $(TEST_OPTIONS) || status=$$?; \
	$(BIN)/python -m pytest -n $(CORES) $(TEST_OPTIONS) tests/ledger --database postgres || status=$$?; \
	exit $$status

# Many hosts, engines side by side, a thousand networks, and what tests/long.txt names: an hour. With PART=1 a part of it of about two
# minutes, PART=2 the next: CI runs one with every other commit.
test-long: setup
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m long $(addprefix --part=,$(PART)) $(TEST_OPTIONS)

# What asks for the time, on a Saturday, in the last minutes of a year and next summer, in three other time zones: a test that
# passes only for some weeks is red at once. The clock that commands in the tests' process read is set, and no other. Each worker
# has a clock, and runs all. With PART=1 half of the tests run, each at one of the clocks; six parts are all.
CLOCKS := 2026-11-28T10:00:00/Asia/Kathmandu 2026-12-31T23:30:00/Pacific/Auckland 2027-07-14T15:20:00/America/Chicago
test-clocks: setup
	$(BIN)/python -m pytest -n $(words $(CLOCKS)) --dist each -m "not slow and not lab and not long" $(addprefix --clock=,$(CLOCKS)) $(addprefix --part=,$(PART)) --timeless=$(TIMELESS) $(TEST_OPTIONS)

# While you work: what finds most in a minute, of every room. CONTRIBUTING.md says how tests/quick.txt was chosen.
quick: setup
	$(BIN)/python -m pytest -n $(CORES) --dist loadgroup -m "not slow and not lab and not long" $(TEST_OPTIONS) @tests/quick.txt

# What the screens look like, written anew where that was meant: look at the difference before you commit it.
snapshots: setup
	CLUSTERWRIGHT_SNAPSHOTS=yes $(BIN)/python -m pytest -q tests/tui/test_snapshots.py

# Real hosts on this machine, as root; `make lab-clean` removes the images that are kept for the next time.
lab: setup
	status=0; $(BIN)/python -m tests.lab up && $(BIN)/python examples/lab.py $(LAB_SITE) && \
	LAB_SITE=$(LAB_SITE) $(BIN)/python -m pytest -m lab tests/lab/test_buildout.py tests/lab/test_lab.py tests/lab/test_retry.py || status=$$?; \
	$(BIN)/python -m tests.lab down; exit $$status

lab-up: setup
	$(BIN)/python -m tests.lab up

lab-down: setup
	$(BIN)/python -m tests.lab down

lab-clean: setup
	$(BIN)/python -m tests.lab clean

# The two slow ones begin first; each prints when it is done, and all run whatever one of them finds.
lint: setup
	$(MAKE) --no-print-directory --jobs $(CORES) --output-sync --keep-going $(LINTERS)

lint-ansible:
	cd playbooks && ../$(BIN)/ansible-lint --offline -q
lint-types:
	$(BIN)/mypy
lint-yaml:
	$(BIN)/yamllint -s .
lint-catalog:
	$(BIN)/clusterwright catalog lint
lint-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
lint-imports:
	$(BIN)/lint-imports

# The lock records hashes and no index lines, so that it holds wherever the packages come from.
lock: setup
	$(BIN)/uv pip compile -q --generate-hashes --no-header --no-emit-index-url --universal --python-version 3.11 pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --extra team --extra s3 --generate-hashes --no-header --no-emit-index-url -c requirements.lock --universal --python-version 3.11 pyproject.toml -o requirements-team.lock
	$(BIN)/uv pip compile -q --extra dev --generate-hashes --no-header --no-emit-index-url -c requirements.lock --universal --python-version 3.11 pyproject.toml -o requirements-dev.lock

bench: setup
	$(BIN)/python -m benchmarks.start_up
	$(BIN)/python -m benchmarks.design
	$(BIN)/python -m benchmarks.field_sheet --write

# The ledger of a rehearsed site tampered with; writers killed, signers raced, appends timed. Not for CI: it takes long.
bench-ledger: setup $(BENCH_SITE)/ledger.db
	$(BIN)/python -m benchmarks.ledger_tamper $(BENCH_SITE) 10000 1
	$(BIN)/python -m benchmarks.ledger_crash 300 1
	$(BIN)/python -m benchmarks.ledger_crash 300 1 postgres
	$(BIN)/python -m benchmarks.ledger_race 1000 1
	$(BIN)/python -m benchmarks.ledger_race 1000 1 postgres
	$(BIN)/python -m benchmarks.ledger_append
	$(BIN)/python -m benchmarks.ledger_million

# Rules, the table of access, redaction and the weekly report broken on purpose: 25 mutants of each.
bench-mutation: setup
	$(BIN)/python -m benchmarks.mutation 25 1

# Thirty rules of all rooms broken on purpose: how many `make quick` notices, and how long that takes. It takes half an hour.
bench-workshop: setup
	$(BIN)/python -m benchmarks.workshop --write

# Turnover packages altered by somebody without the keys. A slice of it is in the tests.
bench-packages: setup
	$(BIN)/python -m benchmarks.packages 1000 1

# Cables as found against as drawn, beside turnup-check in halls of simhall and on fabrics of ibsim; and culprits of slow pairs. A slice
# is in the tests.
bench-found: setup
	$(BIN)/python -m benchmarks.found_links
	$(BIN)/python -m benchmarks.culprits

# Mutated files and hostile command lines. A slice of it is in the tests.
bench-hostile: setup
	$(BIN)/python -m benchmarks.hostile 2000 1000 15

# The screens through a real terminal on half-built sites: how long a key takes to be painted. It takes about six minutes.
bench-screens: setup
	test -d $(BENCH_SITE)-h100-10k || $(BIN)/python -m benchmarks.half_built $(BENCH_SITE)-h100-10k h100-10k
	test -d $(BENCH_SITE)-xai-100k || $(BIN)/python -m benchmarks.half_built $(BENCH_SITE)-xai-100k xai-100k
	$(BIN)/python -m benchmarks.screens $(BENCH_SITE)-h100-10k
	$(BIN)/python -m benchmarks.screens $(BENCH_SITE)-xai-100k

# Schedules for other programs at twenty random moments of a rehearsal (Java for MPXJ). It takes about five minutes.
bench-interchange: setup
	$(BIN)/python -m benchmarks.interchange_moments 20 1

# An engine killed in the middle of playbooks that succeed. It takes about fifty minutes.
bench-kills: setup
	$(BIN)/python -m benchmarks.engine_kill 60 1

# What the engine costs for each task, beside bare Prefect. It takes about three minutes.
bench-engine: setup
	$(BIN)/python -m benchmarks.engine_overhead 15

# A step of ten seconds over 1,250 hosts, plain and on one, two and four workers of a team. It takes about fifty minutes.
bench-team: setup
	$(BIN)/python -m benchmarks.team_slices 1250 10 1 2 4

# Forty pods of 32 hosts that join over time. It takes at most forty minutes.
bench-pods: setup
	$(BIN)/python -m benchmarks.fleet_of_pods 40 32 0.05 0.01 1

# The tests whose examples Hypothesis draws, with other examples in each round, until one fails or the minutes are over.
bench-properties: setup
	end=$$(($$(date +%s) + 60 * $(MINUTES))); \
	while [ $$(date +%s) -lt $$end ]; do \
	  $(BIN)/python -m pytest -n $(CORES) -m "hypothesis and not long" --hypothesis-profile random $(PROPERTIES) || exit 1; \
	done

# Dates beside other schedulers (Java for MPXJ), and their agreement. It takes about ten minutes.
bench-schedule: setup
	$(BIN)/python -m benchmarks.schedule --peers 5000 75000
	$(BIN)/python -m benchmarks.schedule_judges
	$(BIN)/python -m benchmarks.risk
	$(BIN)/python -m benchmarks.slip
	$(BIN)/python -m benchmarks.sampling --write
	$(BIN)/python -m benchmarks.large_site --write

# Forecasts of 1,600 simulated buildouts. It takes about half an hour.
bench-learning: setup
	$(BIN)/python -m benchmarks.learning

# PSPLIB names a folder with the instances j60 and j120 and best_known.csv. It takes about an hour.
bench-levelling: setup
	$(BIN)/python -m benchmarks.levelling --write $(PSPLIB)

$(BENCH_SITE)/ledger.db: | $(VENV)/.installed
	$(BIN)/clusterwright init --preset superpod-1su $(BENCH_SITE)
	$(BIN)/clusterwright plan --site $(BENCH_SITE)
	$(BIN)/clusterwright rehearse --site $(BENCH_SITE)

clean:
	rm -rf $(VENV) docs-site $(DEMO) $(MANAGER_SITE) $(BENCH_SITE) $(LAB_SITE) $(TIMELESS)
