# The two commands: `make demo` and `make test`. Each installs what is missing, builds, and runs.
.PHONY: demo test check build install bench setup setup-demo fuzz
CARGO ?= cargo
PREFIX ?= /usr/local

# Built with few optimisations, to begin sooner.
demo: setup-demo
	$(CARGO) build --profile demo --locked -p bathys
	$(TARGET)/demo/bathys demo

# The gate counts and takes no times, so the program that the tests were built with does.
test: setup check
	$(CARGO) test --workspace --locked
	$(TARGET)/debug/bathys bench --gate

check: setup .venv/bin/typos
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked --quiet -- -D warnings
	.venv/bin/typos
	python3 scripts/licences.py
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --quiet

build: setup-demo
	$(CARGO) build --release --locked -p bathys

# The program, its manual pages and completions, under $(DESTDIR)$(PREFIX).
install: build
	scripts/install $(TARGET)/release/bathys "$(DESTDIR)$(PREFIX)"

# What the figures in the README were printed by. Takes the data beside the checkout if it is there.
bench: setup build
	$(TARGET)/release/bathys bench

setup:
	@scripts/setup test

setup-demo:
	@scripts/setup demo

fuzz: setup
	scripts/fuzz

TARGET = $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)

.venv/bin/typos: scripts/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps axe-playwright-python
	@touch $@
