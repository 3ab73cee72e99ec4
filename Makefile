# Short names for everyday commands; CMakePresets.json defines the builds. `make` alone lists the targets.
# PRESET selects the build of build, test and bench: release (the default), dev, asan, tsan or aarch64, e.g. `make test PRESET=asan`.
# PEERS=1 makes `make test` install what tests compare attend with (transformers, browsers, shells, ...), so that none is skipped.

PRESET ?= release
JOBS ?= $(shell nproc)
CLANG_FORMAT ?= clang-format-14
BUILD := build/$(PRESET)
PROCESSOR := $(shell uname -m)
SOURCES = $(shell find include src browser tests bench examples -name '*.h' -o -name '*.cpp')

.DEFAULT_GOAL := help
.PHONY: help deps build demo test test-docs site install package static wheel wasm test-wasm test-package mutants fuzz fuzz-tokenizers bench bench-check kernels lint check-dev tidy format clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

deps: ## install every package that is missing, with apt (as root, or through sudo)
	@tools/dependencies.sh ensure

build: configure ## build the program and the library into build/release
	@cmake --build $(BUILD) --target attend_program attend_attend attend_reference

demo: configure ## build, train a small translator and write its attention page
	@cmake --build $(BUILD) --target attend_program
	@rm -rf $(BUILD)/demo
	@$(BUILD)/attend demo --out $(BUILD)/demo

test: configure ## build, also the Python module where Python has its development files, then run every test (PEERS=1: skip none)
	@$(if $(PEERS),tools/dependencies.sh ensure test && tools/python_environment.sh build/site-python site >/dev/null)
	@cmake $(BUILD) $(if $(filter asan tsan aarch64,$(PRESET)),,$$(tools/python_environment.sh build/python-venv $(if $(PEERS),peers))) >$(BUILD).configure.log || { cat $(BUILD).configure.log; exit 1; }
	@cmake --build $(BUILD)
	@$(if $(PEERS),ATTEND_PYTHON=$(CURDIR)/build/python-venv/bin/python) tools/run_tests.sh $(BUILD) $(JOBS)

test-docs: build ## run the commands of README and docs (part of make test, too)
	@tests/docs/check_pages.sh . $(BUILD)/attend
	@tests/docs/run_commands.sh . $(BUILD)/attend

site: configure ## make all pages and the references of Python, C++ and C as a site: open build/site/index.html (TATOEBA=folder of attend data tatoeba: with a translator)
	@tools/dependencies.sh ensure python
	@cmake $(BUILD) $$(tools/python_environment.sh build/python-venv) >$(BUILD).configure.log || { cat $(BUILD).configure.log; exit 1; }
	@cmake --build $(BUILD) --target attend_python_stub attend_python_options
	@$(if $(TATOEBA),cmake --build $(BUILD) --target attend_program && tools/site/translator_page.sh $(BUILD)/attend "$(TATOEBA)" build/site-translator)
	@$$(tools/python_environment.sh build/site-python site) tools/site/make_site.py . $(BUILD)/python/attend build/site build/site-pages $(if $(TATOEBA),build/site-translator/page.html)
	@echo "the site: build/site/index.html"

install: build ## install the program, the library and its headers (PREFIX=/usr/local; as root where that needs it)
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local) --component mpi

package: ## make a Debian package in build/package
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure package
	@mkdir -p build
	@cmake --preset package >build/package.configure.log || { cat build/package.configure.log; exit 1; }
	@cmake --build build/package
	@rm -f build/package/*.deb
	@cd build/package && cpack -G DEB >cpack.log || { cat cpack.log; exit 1; }
	@ls build/package/*.deb

static: ## make the program as one file for any Linux, with all libraries in it: dist/attend-linux-*
	@tools/static_program.sh

wheel: ## make a Python wheel for any Linux with glibc 2.28, in dist (ARCH=aarch64: for that processor, on x86_64)
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure wheel
	@$(if $(filter aarch64,$(ARCH)),tools/dependencies.sh ensure aarch64)
	@tools/make_wheel.sh dist $(ARCH)

wasm: ## make attend for browsers: build/wasm/attend.js and others beside it, and a package for npm in build/wasm/npm (minutes)
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure browser
	@mkdir -p build
	@tools/debian_sources.sh build/browser-sources sentencepiece pcre2 utf8proc zlib libzstd >build/wasm.sources.log 2>&1 || { cat build/wasm.sources.log; exit 1; }
	@for preset in wasm wasm-threads; do cmake --preset $$preset >build/$$preset.configure.log 2>&1 || { cat build/$$preset.configure.log; exit 1; }; done
	@cmake --build build/wasm --target attend_wasm attend_page_wasm
	@cmake --build build/wasm-threads --target attend_threads_wasm
	@cp build/wasm-threads/attend-threads.js build/wasm-threads/attend-threads.worker.js build/wasm-threads/attend-threads.wasm build/wasm
	@cp build/wasm/attend-threads.* build/wasm/npm

test-wasm: build wasm ## compare attend in Node and in a browser with the program
	@tests/browser/browser_test.sh . $(BUILD)/attend
	@tests/browser/page_test.sh . $(BUILD)/attend

test-package: build static wheel ## test what users get: the installed tree, attend inside another project, the packages (root)
	@tools/dependencies.sh ensure test-package
	@tests/package/installed_tree_test.sh . $(BUILD)
	@tests/package/subproject_test.sh . build
	@tests/package/debian_test.sh bookworm
	@tests/package/debian_test.sh trixie
	@tests/package/static_test.sh dist/attend-linux-$(PROCESSOR)
	@tests/package/wheel_test.sh dist/attend-*_$(PROCESSOR).whl
	@tests/package/cluster_test.sh . dist/attend-*_$(PROCESSOR).whl
	@if [ $(PROCESSOR) = x86_64 ]; then $(MAKE) --no-print-directory wheel ARCH=aarch64 && tests/package/wheel_test.sh dist/attend-*_aarch64.whl; fi

mutants: ## break one line after another; a test must fail for each (hours; WHICH='optim cli/*' for some, CONTINUE=1 to continue)
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure mutants
	@tools/mutate.py --jobs $(JOBS) $(if $(CONTINUE),--continue) $(WHICH)

fuzz: ## fuzz every reader for MINUTES (10) each: coverage-guided with clang, and mutated models; TARGETS= selects some
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure fuzz
	@tools/run_fuzzers.sh $(or $(MINUTES),10) $(JOBS) $(TARGETS)

fuzz-tokenizers: configure ## compare imported tokenizers with the originals on TEXTS (100000) random texts, before a release; SEED=
	@tools/dependencies.sh ensure test
	@tools/python_environment.sh build/python-venv peers >/dev/null
	@cmake --build $(BUILD) --target test_text test_interchange
	@PYTHON=build/python-venv/bin/python tools/fuzz_all_tokenizers.sh $(BUILD) $(or $(TEXTS),100000) $(or $(SEED),1)

bench: ## compare training with PyTorch and Marian, decoding and serving with CTranslate2 (set DATA=, MODEL= and SOURCE=, EMBEDDER=, GGUF=; QUICK=1: a few rows; ROWS=: those named, or all)
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure bench
	@mkdir -p build
	@cmake --preset $(PRESET) -DATTEND_BENCHMARKS=ON $$(tools/python_environment.sh build/python-venv) >$(BUILD).configure.log || { cat $(BUILD).configure.log; exit 1; }
	@cmake --build $(BUILD) --target attend_program compare_train_attend compare_train_lm_attend compare_tune_attend compare_decode_attend compare_encode_attend compare_generate_attend compare_serve_clients bench_kernels
	@if grep -q ATTEND_PYTHON:BOOL=ON $(BUILD)/CMakeCache.txt; then cmake --build $(BUILD) --target attend_python attend_python_files; fi
	@test -x build/bench-python/bin/python || python3 -m venv build/bench-python
	@build/bench-python/bin/pip install --quiet --disable-pip-version-check -r bench/compare/requirements.txt
	@build/bench-python/bin/python bench/compare/compare.py --build $(BUILD) --out build/bench $(if $(QUICK),--quick) $(if $(DATA),--data "$(DATA)") \
	  $(if $(MODEL),--model "$(MODEL)" --source "$(SOURCE)") $(if $(EMBEDDER),--embedder "$(EMBEDDER)") $(if $(GGUF),--gguf "$(GGUF)") $(if $(ROWS),--only $(ROWS))

bench-check: ## fail if this build is over 5 % slower than that of BASE, a tag or commit (default: the last tag; DATA=, QUICK=1, ROWS= as for bench)
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure bench
	@tools/bench_check.sh "$(BASE)" $(if $(QUICK),--quick) $(if $(DATA),--data "$(DATA)") $(if $(ROWS),--only $(ROWS))

kernels: ## build with benchmarks and time the kernels against the machine's limits
	@tools/dependencies.sh ensure build
	@tools/dependencies.sh ensure bench
	@mkdir -p build
	@cmake --preset $(PRESET) -DATTEND_BENCHMARKS=ON >$(BUILD).configure.log || { cat $(BUILD).configure.log; exit 1; }
	@cmake --build $(BUILD) --target bench_kernels
	@$(BUILD)/bench/bench_kernels $(if $(FILTER),--benchmark_filter=$(FILTER))

lint: ## check the formatting, the layers, the map of files, the list of tests and the pages
	@tools/dependencies.sh ensure lint
	@$(CLANG_FORMAT) --dry-run -Werror $(SOURCES)
	@tests/architecture/check_layers.sh .
	@tests/architecture/check_map.sh .
	@tests/architecture/check_tests.sh .
	@tests/architecture/check_comments.sh .
	@tests/architecture/check_names.sh .
	@tests/docs/check_pages.sh .
	@echo "lint: formatting, layers, map, tests and pages are fine"

check-dev: override PRESET = dev
check-dev: override BUILD = build/dev
check-dev: configure ## compile every file alone, as the preset dev does, without objects (nightly; ONLY='cli/ nn/' for some)
	@tools/dependencies.sh ensure lint
	@tools/check_alone.py $(BUILD) --jobs $(JOBS) $(ONLY)

tidy: override PRESET = dev
tidy: override BUILD = build/dev
tidy: configure ## run clang-tidy on every source file (slow)
	@tools/dependencies.sh ensure lint
	@find src -name '*.cpp' | xargs -n 1 -P $(JOBS) clang-tidy-14 -p $(BUILD) --quiet

format: ## format every source file in place
	@tools/dependencies.sh ensure lint
	@$(CLANG_FORMAT) -i $(SOURCES)

clean: ## remove the build
	@rm -rf build dist

.PHONY: configure
configure:
	@tools/dependencies.sh ensure build
	@mkdir -p build
	@$(if $(filter aarch64,$(PRESET)),tools/dependencies.sh ensure aarch64 && tools/sysroot.sh arm64)
	@cmake --preset $(PRESET) >$(BUILD).configure.log 2>&1 || { cat $(BUILD).configure.log; exit 1; }
