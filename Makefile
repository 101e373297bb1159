# The two commands: `make demo` and `make test`. Each installs what is missing, builds, and runs.
.PHONY: demo test check build bench setup fuzz
CARGO ?= cargo

demo: setup
	$(CARGO) build --release --locked --quiet -p bathys
	$(TARGET)/release/bathys demo

test: setup check
	$(CARGO) test --workspace --locked

check: setup .venv/bin/typos
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked --quiet -- -D warnings
	.venv/bin/typos
	python3 scripts/licences.py
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --quiet

build: setup
	$(CARGO) build --release --locked -p bathys

# What the figures in the README were printed by. Takes the data beside the checkout if it is there.
bench: build
	$(TARGET)/release/bathys bench

setup:
	@scripts/setup

fuzz: setup
	scripts/fuzz

TARGET = $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)

.venv/bin/typos: scripts/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
	@touch $@
