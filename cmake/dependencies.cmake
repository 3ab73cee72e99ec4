# Every dependency as an imported target, from Debian's packages (see `make deps`).
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
add_library(hwy::hwy ALIAS PkgConfig::hwy)
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece)
add_library(sentencepiece::sentencepiece ALIAS PkgConfig::sentencepiece)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
add_library(utf8proc::utf8proc ALIAS PkgConfig::utf8proc)
