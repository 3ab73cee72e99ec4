# Debian's GCC for ATTEND_PROCESSOR, with the headers and libraries that tools/wheel/sysroot.sh makes: for systems as old as glibc 2.28.
set(ATTEND_PROCESSOR x86_64 CACHE STRING "The processor to build for: x86_64 or aarch64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ATTEND_PROCESSOR)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/wheel-${ATTEND_PROCESSOR}/sysroot ABSOLUTE)
include(${CMAKE_CURRENT_LIST_DIR}/sysroot.cmake)

# A cross compiler looks in places of its own before it looks into the sysroot, so these are given.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=include OUTPUT_VARIABLE own_headers OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} --sysroot=${CMAKE_SYSROOT} -xc++ -E -v /dev/null OUTPUT_QUIET ERROR_VARIABLE places)
string(REGEX MATCHALL "\n /[^\n]*/c\\+\\+/[^\n]*" places "${places}")
list(APPEND places ${own_headers} ${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} ${CMAKE_SYSROOT}/usr/include)
set(CMAKE_C_FLAGS_INIT "-nostdinc")
foreach(place IN LISTS places)
  string(STRIP "${place}" place)
  string(APPEND CMAKE_C_FLAGS_INIT " -isystem ${place}")
endforeach()
get_filename_component(wheel ${CMAKE_CURRENT_LIST_DIR}/../../tools/wheel ABSOLUTE)
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT} -include ${wheel}/older_library.h")
set(libraries "-B${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} -B${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE} -static-libstdc++")
foreach(kind SHARED MODULE EXE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${libraries}")
endforeach()
# Before libstdc++.a, which GCC adds: that takes the place of what is not there yet.
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-lexceptions ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/newer_functions.o")
