#!/bin/sh
# A program that is linked with what tools/wheel/stub_library.py makes of a library needs no version that came later than asked for.
#   stub_library_test.sh SOURCE_DIR COMPILER
set -eu
stub=$(realpath "${1:?usage: stub_library_test.sh SOURCE_DIR COMPILER}")/tools/wheel/stub_library.py
compiler=${2:?usage: stub_library_test.sh SOURCE_DIR COMPILER}
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "stub_library_test: $*" >&2; exit 1; }

# changed() has a version of 1.9 and one of 1.10, late() came with 1.10, and removed() is there for old programs only.
cat >real.c <<'C'
int table[3] = {1, 2, 3};
int kept(void) { return 1; }
int changed_before(void) { return 2; }
int changed_since(void) { return 3; }
int late(void) { return 4; }
int removed_before(void) { return 5; }
__asm__(".symver changed_before, changed@NUMBERS_1.9");
__asm__(".symver changed_since, changed@@NUMBERS_1.10");
__asm__(".symver removed_before, removed@NUMBERS_1.9");
C
echo 'NUMBERS_1.9 { global: kept; table; changed; removed; local: *; }; NUMBERS_1.10 { global: changed; late; };' >real.map
mkdir real
"$compiler" -x c -shared -fPIC -Wl,--version-script=real.map -Wl,-soname,libnumbers.so.1 real.c -o real/libnumbers.so.1
python3 "$stub" "$compiler" real/libnumbers.so.1 stub/libnumbers.so.1 NUMBERS_1.9

link() { "$compiler" -x c - -x none "$@" -o program; }
echo 'extern int table[]; int kept(void), changed(void); int main(void) { return kept() + changed() + table[2]; }' | link stub/libnumbers.so.1
readelf -V program | grep -q NUMBERS_1.9 || fail "the program needs no version"
! readelf -V program | grep -q NUMBERS_1.10 || fail "the program needs a later version"
# The library itself takes the place of the stub: 1 + 2 + 3.
result=0
LD_LIBRARY_PATH=real ./program || result=$?
[ "$result" -eq 6 ] || fail "the program gives $result"

for name in late removed; do
  ! echo "int $name(void); int main(void) { return $name(); }" | link stub/libnumbers.so.1 2>/dev/null || fail "$name() is there"
done
python3 "$stub" "$compiler" real/libnumbers.so.1 stub/libnumbers.so.1 NUMBERS_1.9 --names 'k.*'
! echo 'int changed(void); int main(void) { return changed(); }' | link stub/libnumbers.so.1 2>/dev/null || fail "changed() was not asked for"
echo 'int kept(void); int main(void) { return kept(); }' | link stub/libnumbers.so.1
echo "the stub library works"
