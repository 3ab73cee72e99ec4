#!/bin/sh
# The Debian packages (12 or 13) that attend needs, and their installation: the one list for people, make and .ci/run.
#
#   tools/dependencies.sh list    [build|package|static|wheel|test|test-package|bench|lint|fuzz|mutants|python|mpi|aarch64|browser]   prints the packages
#   tools/dependencies.sh missing [build|package|static|wheel|test|test-package|bench|lint|fuzz|mutants|python|mpi|aarch64|browser]   prints those that are not installed
#   tools/dependencies.sh ensure  [build|package|static|wheel|test|test-package|bench|lint|fuzz|mutants|python|mpi|aarch64|browser]   installs those that are not installed, with apt as root or through sudo
#
# Without a group: all but aarch64 and browser, which only builds for these need. If nothing is missing, apt is not called. Debian 13 has
# other versions of clang, so `make lint` and `make fuzz` need Debian 12; there, ensure says which packages the release lacks and goes on.
set -eu

# What attend is linked with, also for other processors (tools/sysroot.sh).
# libprotobuf-dev: the SentencePiece of Debian 13 names it in its pkg-config file.
libraries="libhwy-dev libsentencepiece-dev libcli11-dev nlohmann-json3-dev libfmt-dev zlib1g-dev libzstd-dev libutf8proc-dev libpcre2-dev
  libtomlplusplus-dev libboost-dev libssl-dev libgtest-dev libprotobuf-dev"
build_packages="g++ cmake ninja-build ccache pkg-config $libraries curl"
# python3-dev: torch.compile builds against it. ocl-icd-opencl-dev: Debian's CMake package of oneDNN requires OpenCL, although nothing here uses it.
bench_packages="libbenchmark-dev libdnnl-dev ocl-icd-opencl-dev python3 python3-dev python3-venv"
lint_packages="clang-format-14 clang-tidy-14 python3"
# 14, the usual one of Debian 12, cannot compile coroutines with its standard library.
fuzz_packages="clang-16 libclang-rt-16-dev"
mutants_packages="python3"
python_packages="python3 python3-dev python3-venv"
package_packages="dpkg-dev file"
static_packages="dpkg-dev"  # unpacks Debian's sources
wheel_packages="python3 python3-dev python3-venv $static_packages advancecomp"  # which compresses more than Python's zipfile
# Training by several processes; without it, by one.
mpi_packages="libopenmpi-dev openmpi-bin"
# A build for 64-bit ARM, and what runs it.
aarch64_packages="g++-aarch64-linux-gnu qemu-user-static"
# A build for browsers: the compiler to WebAssembly, which calls acorn, and what unpacks Debian's sources.
browser_packages="emscripten node-acorn nodejs $static_packages"
# What runs the Python module under qemu (tools/sysroot.sh).
interpreter_packages="python3 libstdc++6"
# Programs that tests start, so that none is skipped: browsers, shells, servers, a batch system, Java for Spark, and languages
# with an example of the interface of C.
test_packages="libbenchmark-dev libdnnl-dev ocl-icd-opencl-dev python3 python3-dev python3-venv python3-yaml libopenmpi-dev openmpi-bin
  chromium chromium-driver nginx-light openssl prometheus groff zsh fish systemd slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge
  default-jdk-headless libjna-java rustc golang-go mono-mcs nodejs libnode-dev"
test_package_packages="dpkg-dev debootstrap lintian default-jre-headless"

usage() {
  sed -n '4,6s/^# *//p' "$0" >&2
  exit 2
}

packages() {
  case "$1" in
    build) echo $build_packages ;;
    bench) echo $bench_packages ;;
    lint) echo $lint_packages ;;
    fuzz) echo $fuzz_packages ;;
    mutants) echo $mutants_packages ;;
    package) echo $package_packages ;;
    static) echo $static_packages ;;
    wheel) echo $wheel_packages ;;
    python) echo $python_packages ;;
    mpi) echo $mpi_packages ;;
    aarch64) echo $aarch64_packages ;;
    browser) echo $browser_packages ;;
    libraries) echo $libraries ;;
    interpreter) echo $interpreter_packages ;;
    test) echo $test_packages ;;
    test-package) echo $test_package_packages ;;
    all) echo $build_packages $bench_packages $lint_packages $fuzz_packages $mutants_packages $python_packages $mpi_packages $test_packages $test_package_packages ;;
    *) usage ;;
  esac
}

# Rust and Node are often installed from elsewhere, and a second Node cannot be.
is_here() {
  case "$1" in
    rustc) command -v rustc >/dev/null ;;
    nodejs) command -v node >/dev/null ;;
    libnode-dev) [ -e /usr/include/node/node_api.h ] ;;
    *) false ;;
  esac
}

# The packages of the arguments that are not installed, on one line.
missing() {
  installed=" $(dpkg-query --show --showformat='${binary:Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)"
  absent=""
  for package in "$@"; do
    ! is_here "$package" || continue
    case "$installed" in
      *" $package=installed "* | *" $package:"*"=installed "*) ;;
      *) absent="$absent $package" ;;
    esac
  done
  echo $absent
}

# Where other systems keep what a build needs: packages by name, and the files for pkg-config and CMake that their packages
# provide under these names. Not tried: only Debian's list is. Fedora and, under
# Debian's names, Ubuntu 24.04 list the rare ones, Highway, SentencePiece and toml++; Ubuntu 22.04 has no toml++.
modules="libhwy sentencepiece libpcre2-8 libutf8proc libzstd zlib fmt openssl tomlplusplus"
configurations="nlohmann_json CLI11 GTest"
elsewhere() {
  if command -v dnf >/dev/null; then
    echo "dnf install gcc-c++ cmake ninja-build pkgconf-pkg-config curl boost-devel$(printf " 'pkgconfig(%s)'" $modules)$(printf " 'cmake(%s)'" $configurations)"
  elif command -v zypper >/dev/null; then
    echo "zypper install gcc-c++ cmake ninja pkgconf curl boost-devel$(printf " 'pkgconfig(%s)'" $modules)$(printf " 'cmake(%s)'" $configurations)"
  elif command -v apk >/dev/null; then
    echo "apk add g++ cmake samurai pkgconf curl boost-dev nlohmann-json cli11 gtest-dev$(printf " pc:%s" $modules)"
  elif command -v pacman >/dev/null; then
    echo "pacman -S base-devel cmake ninja curl boost nlohmann-json cli11 gtest highway pcre2 libutf8proc zstd zlib fmt openssl sentencepiece tomlplusplus"
  else
    echo "the equivalents of: $wanted"
  fi
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "dependencies: installing packages needs root or sudo; ask for: apt-get install $wanted" >&2
    exit 1
  fi
}

command="${1:-}"
wanted=$(packages "${2:-all}")
case "$command" in
  list)
    echo $wanted
    ;;
  missing)
    missing $wanted
    ;;
  ensure)
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
      if [ "${2:-all}" = build ]; then
        echo "dependencies: no apt on this system; unless they are there, install them with: $(elsewhere)" >&2
      else
        echo "dependencies: no apt on this system; install the equivalents of: $wanted" >&2
      fi
      exit 0
    fi
    wanted=$(missing $wanted)
    [ -n "$wanted" ] || exit 0
    echo "dependencies: installing $wanted"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    present="" absent=""
    for package in $wanted; do
      if apt-cache show "$package" >/dev/null 2>&1; then present="$present $package"; else absent="$absent $package"; fi
    done
    [ -z "$absent" ] || echo "dependencies: this release has no$absent"
    [ -z "$present" ] || as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $present
    # A build without one of its packages would fail later, and say less.
    for package in $absent; do
      case " $(packages build | xargs) " in *" $package "*) exit 1 ;; esac
    done
    ;;
  *)
    usage
    ;;
esac
