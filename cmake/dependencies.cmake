# All dependencies as imported targets, from Debian's packages (see `make deps`). An enclosing project
# may have defined some already.

# pip shows CMake's messages only: it should say what to install.
if(SKBUILD)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/dependencies.sh missing build OUTPUT_VARIABLE missing
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(missing)
    message(FATAL_ERROR "These packages are missing: ${missing}\nInstall them with: sudo apt-get install ${missing}")
  endif()
endif()

if(EMSCRIPTEN)
  include(cmake/browser_libraries.cmake)
  return()
endif()

if(ATTEND_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
if(ATTEND_PROGRAM OR ATTEND_PYTHON)
  find_package(CLI11 REQUIRED)
  find_package(Boost 1.74 CONFIG REQUIRED)  # headers only
  find_package(OpenSSL 3.0 REQUIRED)
endif()

# attend_pkg_config(NAME MODULE): the pkg-config module MODULE as the target NAME::NAME, its version in NAME_VERSION.
find_package(PkgConfig REQUIRED)
macro(attend_pkg_config name module)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  if(NOT TARGET ${name}::${name})
    add_library(${name}::${name} ALIAS PkgConfig::${name})
  endif()
endmacro()
attend_pkg_config(hwy libhwy)
attend_pkg_config(pcre2 libpcre2-8)
attend_pkg_config(sentencepiece sentencepiece)
attend_pkg_config(utf8proc libutf8proc)
attend_pkg_config(zstd libzstd)
attend_pkg_config(tomlplusplus tomlplusplus)
# toml++ has no static library: its headers have everything.
if(ATTEND_STATIC)
  set_target_properties(PkgConfig::tomlplusplus PROPERTIES INTERFACE_LINK_LIBRARIES "" INTERFACE_COMPILE_OPTIONS "")
endif()
