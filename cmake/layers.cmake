# attend_layer(NAME [LIBRARIES ...]): the folder src/attend/NAME as the static library attend::NAME. It sees the layers declared before it;
# which of those it may include is decided by the layer table, checked in the test suite.
set(ATTEND_LAYERS "")

# GCC 12 warns about concatenated strings in its own library (GCC bug 105651).
set(ATTEND_FALSE_WARNINGS "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")

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
  # Compiled once for each instruction set, by including themselves.
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/attend/${name}/fast/*.cpp)
  set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(ATTEND_SANITIZE)
    target_compile_options(attend_${name} PUBLIC -fsanitize=${ATTEND_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(attend_${name} PUBLIC -fsanitize=${ATTEND_SANITIZE})
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
