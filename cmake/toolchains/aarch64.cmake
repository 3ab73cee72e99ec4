# Debian's cross compiler for 64-bit ARM, the libraries of tools/sysroot.sh, and qemu to run what is built.
set(ATTEND_PROCESSOR aarch64)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot-arm64 ABSOLUTE)
include(${CMAKE_CURRENT_LIST_DIR}/sysroot.cmake)

# The processor that qemu plays: max has all extensions, cortex-a72 has no dot products.
set(ATTEND_QEMU_CPU max CACHE STRING "The processor that qemu plays")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT} -cpu ${ATTEND_QEMU_CPU})
