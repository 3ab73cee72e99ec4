# attend_embed(LAYER FOLDER FUNCTION): embeds the files of FOLDER in the library of LAYER, returned by name by
#
#   namespace attend { std::span<const EmbeddedFile> FUNCTION(); }
#
# Callers declare the function. A folder that does not exist has no files. This file, run as a script, generates its source at build time whenever
# one of the files changes.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ATTEND_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(attend_embed layer folder function)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*)
    set(output ${PROJECT_BINARY_DIR}/embedded/${function}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DFUNCTION=${function} -DOUTPUT=${output} -DFOLDER=${PROJECT_SOURCE_DIR}/${folder} -P ${ATTEND_EMBED_SCRIPT}
      DEPENDS ${files} ${ATTEND_EMBED_SCRIPT}
      COMMENT "Embedding ${folder}"
      VERBATIM)
    target_sources(attend_${layer} PRIVATE ${output})
  endfunction()
  return()
endif()

# Byte arrays instead of string literals, which some compilers limit to 64 KiB.
file(GLOB_RECURSE files ${FOLDER}/*)
list(SORT files)
set(arrays "")
set(entries "")
set(index 0)
foreach(path IN LISTS files)
  get_filename_component(name ${path} NAME)
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n  " bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char kFile${index}[] = {  // ${name}\n  ${bytes}'\\0'};\n")
  string(APPEND entries "    {\"${name}\", {kFile${index}, sizeof(kFile${index}) - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()

file(WRITE ${OUTPUT} "// Made by cmake/embed.cmake.
#include <array>
#include <span>

#include \"attend/core/files/embedded_file.h\"

namespace attend {

std::span<const EmbeddedFile> ${FUNCTION}();

// A layer can embed several folders in one unit.
namespace of_${FUNCTION} {
namespace {

${arrays}
constexpr std::array<EmbeddedFile, ${index}> kFiles{{
${entries}}};

}  // namespace
}  // namespace of_${FUNCTION}

std::span<const EmbeddedFile> ${FUNCTION}() { return of_${FUNCTION}::kFiles; }

}  // namespace attend
")
