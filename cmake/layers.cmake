# attend_layer(NAME [KERNELS | NO_HOT_LOOPS] [LIBRARIES ...]): the folder src/attend/NAME as the static
# library attend::NAME. It links the layers declared before it; the drawing of ARCHITECTURE.md, checked by the tests,
# decides which of them it may include. A layer with KERNELS is optimized as far as the build type says;
# -O2 and, where there are NO_HOT_LOOPS, -O1 compile the others in half the time, and run as fast. What is copied to other machines is
# compiled for size there.
set(ATTEND_LAYERS "")

# GCC 12 warns about concatenated strings in its own library (GCC bug 105651).
set(ATTEND_FALSE_WARNINGS "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")

# What x86-64 does, other processors do: char is signed, and outside of kernels, which say where they mean FMA, nothing is fused.
set(ATTEND_SAME_EVERYWHERE "")
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(ATTEND_SAME_EVERYWHERE -fsigned-char -ffp-contract=off)
endif()

function(attend_layer name)
  cmake_parse_arguments(ARG "KERNELS;NO_HOT_LOOPS" "" "LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/attend/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(attend_${name} STATIC ${sources})
  add_library(attend::${name} ALIAS attend_${name})
  target_include_directories(attend_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(attend_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion ${ATTEND_FALSE_WARNINGS}
                                                ${ATTEND_SAME_EVERYWHERE})
  if(EMSCRIPTEN)  # other builds show warnings of code; that sizes have 32 bits is right where no file is larger than memory
    target_compile_options(attend_${name} PRIVATE -Wno-shorten-64-to-32 -Wno-shadow -Wno-unused-parameter)
  endif()
  if(ARG_NO_HOT_LOOPS AND (EMSCRIPTEN OR ATTEND_STATIC))  # what pages load, and what people copy or download
    target_compile_options(attend_${name} PRIVATE $<$<CONFIG:Release>:-Os>)
  elseif(ARG_NO_HOT_LOOPS)
    target_compile_options(attend_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  elseif(NOT ARG_KERNELS)
    target_compile_options(attend_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  # The headers cost more than the code: twice the usual files per unit, two thirds of the time.
  set_target_properties(attend_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
  # Unoptimized kernels are hundreds of times slower, and a project in a debug build wants to debug itself.
  if(NOT PROJECT_IS_TOP_LEVEL)
    target_compile_options(attend_${name} PRIVATE "$<$<NOT:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-O3;-DNDEBUG>")
  endif()
  # They compile once per instruction set, by including themselves.
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/attend/${name}/fast/*.cpp)
  set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(ATTEND_SAME_EVERYWHERE)
    set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=fast)
  endif()
  # Highway asks for crypto by a pragma, which constructors made by GCC do not see. They use none of it; kernels ask the CPU first.
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS -march=armv8-a+crypto)
  endif()
  if(ATTEND_SANITIZE)
    target_compile_options(attend_${name} PUBLIC -fsanitize=${ATTEND_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(attend_${name} PUBLIC -fsanitize=${ATTEND_SANITIZE})
  endif()
  list(TRANSFORM ATTEND_LAYERS PREPEND attend:: OUTPUT_VARIABLE lower)
  list(REVERSE lower)
  target_link_libraries(attend_${name} PUBLIC ${lower} ${ARG_LIBRARIES})
  set(ATTEND_LAYERS ${ATTEND_LAYERS} ${name} PARENT_SCOPE)
endfunction()

# attend::attend: the library for programs, with the headers of include/attend, also that of C. It is always shared, so
# programs need none of its dependencies, see none of their symbols, and link quickly.
function(attend_library)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/attend/*.h ${PROJECT_SOURCE_DIR}/include/attend/c/*.h)
  set(objects "")
  foreach(layer IN LISTS ATTEND_LAYERS)
    list(APPEND objects $<TARGET_OBJECTS:attend_${layer}>)
  endforeach()
  add_library(attend_attend SHARED ${objects})
  add_library(attend::attend ALIAS attend_attend)
  target_sources(attend_attend PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  set_target_properties(attend_attend PROPERTIES OUTPUT_NAME attend EXPORT_NAME attend LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(attend_attend PUBLIC cxx_std_20)
  list(GET ATTEND_LAYERS -1 top)
  target_link_libraries(attend_attend PRIVATE attend::${top})  # for the libraries that the layers need
  if(NOT ATTEND_SANITIZE)
    target_link_options(attend_attend PRIVATE -Wl,--no-undefined -Wl,--as-needed)
  endif()
endfunction()
