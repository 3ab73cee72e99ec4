# attend_layer(NAME [LIBRARIES ...]): the folder src/attend/NAME as the static library attend::NAME. It sees the layers declared before it;
# which of those it may include is decided by the layer table, checked in the test suite.
set(ATTEND_LAYERS "")

# GCC 12 warns about concatenated strings in its own library (GCC bug 105651), with precompiled headers under these names, too.
set(ATTEND_FALSE_WARNINGS "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")

# Headers that take longest and are wanted everywhere, compiled once: a third of the time of a full build. Files include what they use all
# the same: the preset `dev` builds without. attend_precompile(TARGET OWNER HEADER...): those of OWNER if it has them already, else its own.
function(attend_precompile target owner)
  if(TARGET ${owner} AND NOT ${target} STREQUAL ${owner})
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE <fmt/format.h> <algorithm> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional>
                              <span> <sstream> <string> <variant> <vector> ${ARGN})
  endif()
endfunction()

function(attend_layer name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/attend/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(attend_${name} STATIC ${sources})
  add_library(attend::${name} ALIAS attend_${name})
  target_include_directories(attend_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_compile_options(attend_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion ${ATTEND_FALSE_WARNINGS})
  if(ATTEND_SANITIZE)
    target_compile_options(attend_${name} PUBLIC -fsanitize=${ATTEND_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(attend_${name} PUBLIC -fsanitize=${ATTEND_SANITIZE})
  endif()
  if("nlohmann_json::nlohmann_json" IN_LIST ARG_LIBRARIES)
    attend_precompile(attend_${name} attend_checkpoint <nlohmann/json.hpp>)
  else()
    attend_precompile(attend_${name} attend_core)
  endif()
  list(TRANSFORM ATTEND_LAYERS PREPEND attend:: OUTPUT_VARIABLE lower)
  list(REVERSE lower)
  target_link_libraries(attend_${name} PUBLIC ${lower} ${ARG_LIBRARIES})
  set(ATTEND_LAYERS ${ATTEND_LAYERS} ${name} PARENT_SCOPE)
endfunction()

# attend::attend: everything below the command line, for programs that embed the library.
function(attend_library)
  set(layers ${ATTEND_LAYERS})
  list(REMOVE_ITEM layers cli)
  list(TRANSFORM layers PREPEND attend::)
  list(REVERSE layers)
  add_library(attend_attend INTERFACE)
  add_library(attend::attend ALIAS attend_attend)
  target_link_libraries(attend_attend INTERFACE ${layers})
endfunction()
