# Short names for the everyday commands; CMakePresets.json holds how things are built. `make` alone lists the targets.
# PRESET chooses what build, test and bench use: release (the default), dev, asan or tsan, e.g. `make test PRESET=asan`.

PRESET ?= release
JOBS ?= $(shell nproc)
CLANG_FORMAT ?= clang-format-14
BUILD := build/$(PRESET)
SOURCES = $(shell find include src tests bench examples -name '*.h' -o -name '*.cpp')

.DEFAULT_GOAL := help
.PHONY: help deps build demo test install package test-package mutants fuzz bench kernels lint tidy format clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

deps: ## install every package that is missing, with apt (as root, or through sudo)
	@tools/dependencies.sh ensure

build: configure ## build the program, the library and the tests into build/release
	@cmake --build $(BUILD)

demo: configure ## build, then train a small translator and write its attention page
	@cmake --build $(BUILD) --target attend_program
	@rm -rf $(BUILD)/demo
	@$(BUILD)/attend demo --out $(BUILD)/demo

test: build ## build, then run every test
	@tools/run_tests.sh $(BUILD) $(JOBS)

install: build ## install the program, the library and its headers (PREFIX=/usr/local; as root where that needs it)
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)

package: ## make a Debian package in build/package
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure package
	@mkdir -p build
	@cmake --preset package >build/package.configure.log || { cat build/package.configure.log; exit 1; }
	@cmake --build build/package
	@rm -f build/package/*.deb
	@cd build/package && cpack -G DEB >cpack.log || { cat cpack.log; exit 1; }
	@ls build/package/*.deb

test-package: build package ## test what users get: the installed tree, attend inside another project, the package in a bare Debian 12 (root)
	@tools/dependencies.sh ensure test-package
	@tests/package/installed_tree_test.sh . $(BUILD)
	@tests/package/subproject_test.sh . build
	@tests/package/debian_test.sh build/package/*.deb

mutants: ## break one line after another and see that a test fails (hours; WHICH='optim cli/*' for some, CONTINUE=1 to go on)
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure mutants
	@tools/mutate.py --jobs $(JOBS) $(if $(CONTINUE),--continue) $(WHICH)

fuzz: ## feed hostile bytes to every reader, for MINUTES each (10): coverage-guided with clang, and mutated models; TARGETS= names some
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure fuzz
	@tools/run_fuzzers.sh $(or $(MINUTES),10) $(JOBS) $(TARGETS)

bench: ## compare training with PyTorch and decoding with CTranslate2 (DATA=, MODEL= and SOURCE= say with what)
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure bench
	@mkdir -p build
	@cmake --preset $(PRESET) -DATTEND_BENCHMARKS=ON >$(BUILD).configure.log || { cat $(BUILD).configure.log; exit 1; }
	@cmake --build $(BUILD) --target attend_program compare_train_attend compare_train_lm_attend compare_decode_attend bench_kernels
	@test -x build/bench-python/bin/python || python3 -m venv build/bench-python
	@build/bench-python/bin/pip install --quiet --disable-pip-version-check -r bench/compare/requirements.txt
	@build/bench-python/bin/python bench/compare/compare.py --build $(BUILD) --out build/bench $(if $(DATA),--data "$(DATA)") \
	  $(if $(MODEL),--model "$(MODEL)" --source "$(SOURCE)")

kernels: ## build with benchmarks and time the kernels beside the machine's limits
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure bench
	@mkdir -p build
	@cmake --preset $(PRESET) -DATTEND_BENCHMARKS=ON >$(BUILD).configure.log || { cat $(BUILD).configure.log; exit 1; }
	@cmake --build $(BUILD) --target bench_kernels
	@$(BUILD)/bench/bench_kernels $(if $(FILTER),--benchmark_filter=$(FILTER))

lint: ## check the formatting and the layer table
	@tools/dependencies.sh ensure lint
	@$(CLANG_FORMAT) --dry-run -Werror $(SOURCES)
	@tests/architecture/check_layers.sh .
	@echo "lint: formatting and layers are fine"

tidy: override PRESET = dev
tidy: override BUILD = build/dev
tidy: configure ## run clang-tidy on every source file (slow)
	@tools/dependencies.sh ensure lint
	@find src -name '*.cpp' | xargs -n 1 -P $(JOBS) clang-tidy-14 -p $(BUILD) --quiet

format: ## format every source file in place
	@tools/dependencies.sh ensure lint
	@$(CLANG_FORMAT) -i $(SOURCES)

clean: ## remove what was built
	@rm -rf build

.PHONY: configure
configure:
	@tools/dependencies.sh ensure build
	@mkdir -p build
	@cmake --preset $(PRESET) >$(BUILD).configure.log 2>&1 || { cat $(BUILD).configure.log; exit 1; }
