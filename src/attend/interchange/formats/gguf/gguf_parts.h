// GGUF files in parts: "model-00001-of-00003.gguf" and the others beside it. The first has the
// metadata; each has some of the tensors, its number in the entry split.no, from 0 on, and the
// number of all in split.count.
#pragma once

#include <filesystem>
#include <vector>

#include "attend/interchange/formats/gguf/gguf_file.h"

namespace attend {

// The files that belong to a path: those with the names of its parts if it has the name of the
// first of several, otherwise itself.
std::vector<std::filesystem::path> gguf_parts(const std::filesystem::path& path);

// The file, with the tensors of all its parts. Throws like read_gguf(), and DataError unless the
// parts belong together.
GgufFile read_gguf_parts(const std::filesystem::path& path);

}  // namespace attend
