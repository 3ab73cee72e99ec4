# attend.js and attend.wasm: the layers up to browser, with the functions of attend/c/attend.h and of attend/browser, and browser/*.js around them.
# With ATTEND_BROWSER_THREADS, attend-threads.js, attend-threads.wasm and attend-threads.worker.js, which attend.js loads when it is asked for
# several threads.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/attend/browser/*.h)
set(functions "")
foreach(header IN ITEMS ${PROJECT_SOURCE_DIR}/include/attend/c/attend.h ${headers})
  file(STRINGS ${header} declarations REGEX "^(const )?[a-z0-9_]+\\*? attend_[a-z_]+\\(")
  foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE "^.* (attend_[a-z_]+)\\(.*" "\\1" function "${declaration}")
    list(APPEND functions ${function})
  endforeach()
endforeach()
# attend_engine(TARGET NAME FOLDER FUNCTION...): NAME.js and NAME.wasm in FOLDER with these functions. The linker drops what none of them needs.
function(attend_engine target name folder)
  set(functions ${ARGN})
  list(TRANSFORM functions PREPEND _)
  list(APPEND functions _malloc _free)
  list(JOIN functions "\n" exported)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/exported_by_${target} CONTENT "${exported}\n")
  add_executable(${target} $<TARGET_OBJECTS:attend_api> $<TARGET_OBJECTS:attend_browser>)
  target_link_libraries(${target} PRIVATE attend::browser)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX .js LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${folder})
  target_link_options(${target} PRIVATE
    -O2 --no-entry -sMODULARIZE=1 -sEXPORT_NAME=createAttendModule -sENVIRONMENT=web,worker,node -sDYNAMIC_EXECUTION=0
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sWASM_BIGINT=1 -sINITIAL_MEMORY=32MB -sTOTAL_STACK=1MB -sALLOW_TABLE_GROWTH=1 -sFORCE_FILESYSTEM=1
    -sINVOKE_RUN=0 -sEXIT_RUNTIME=0 -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0
    -sEXPORTED_FUNCTIONS=@${PROJECT_BINARY_DIR}/exported_by_${target}
    -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8,addFunction,removeFunction)
endfunction()

if(ATTEND_BROWSER_THREADS)
  # A worker of the pool starts before its page has work; there are no more than these. The warning is that growing memory makes what JavaScript
  # reads of it slow, which is little here.
  attend_engine(attend_threads_wasm attend-threads ${PROJECT_BINARY_DIR} ${functions})
  target_link_options(attend_threads_wasm PRIVATE -sPTHREAD_POOL_SIZE=Module.processors-1 -sPTHREAD_POOL_SIZE_STRICT=2 -sDEFAULT_PTHREAD_STACK_SIZE=1MB
                                                  -Wno-pthreads-mem-growth)
  return()
endif()

# The interface for JavaScript: one script of the parts in browser/.
foreach(part sources engine workers api)
  set(file ${PROJECT_SOURCE_DIR}/browser/${part}.js)
  file(READ ${file} ${part}_js)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
set(interface ${PROJECT_BINARY_DIR}/attend_interface.js)
configure_file(${PROJECT_SOURCE_DIR}/browser/attend.js.in ${interface} @ONLY)

function(attend_engine_with_interface target folder)
  attend_engine(${target} attend ${folder} ${ARGN})
  set_property(TARGET ${target} PROPERTY LINK_DEPENDS ${interface})
  target_link_options(${target} PRIVATE -sMALLOC=emmalloc --extern-post-js ${interface})
endfunction()
attend_engine_with_interface(attend_wasm ${PROJECT_BINARY_DIR} ${functions})

# The same for the pages of `attend page`, which explore models and train translators. What page_trainings.cpp defines takes the place of functions
# of the library, whose objects the linker then has no need of.
set(exploring ${functions})
list(FILTER exploring EXCLUDE REGEX "^attend_(translate|generate|classify|tag|embed|rank|score|model_with_adapter)$")
attend_engine_with_interface(attend_page_wasm ${PROJECT_BINARY_DIR}/page ${exploring})
target_sources(attend_page_wasm PRIVATE ${PROJECT_SOURCE_DIR}/browser/page_trainings.cpp)

# The package for npm.
set(npm ${PROJECT_BINARY_DIR}/npm)
configure_file(${PROJECT_SOURCE_DIR}/browser/package.json.in ${npm}/package.json @ONLY)
set(npm_files "")
foreach(file attend.mjs attend.d.ts README.md)
  list(APPEND npm_files ${PROJECT_SOURCE_DIR}/browser/${file})
endforeach()
add_custom_command(TARGET attend_wasm POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E copy ${npm_files} ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_BINARY_DIR}/attend.js ${PROJECT_BINARY_DIR}/attend.wasm ${npm}
  VERBATIM)
