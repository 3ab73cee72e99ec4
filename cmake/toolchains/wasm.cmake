# Debian's Emscripten: C++ as WebAssembly, with vectors of 128 bits and exceptions, which all browsers have since 2023.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
get_filename_component(browser ${CMAKE_CURRENT_LIST_DIR}/../../tools/browser ABSOLUTE)
set(CMAKE_C_FLAGS_INIT "-msimd128 -fwasm-exceptions")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT} -include ${browser}/newer_library.h")
# The linker calls Node, which may not be Debian's, with a module of Debian's.
set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
