// Bytes as a file that readers can open, without a disk.
#pragma once

#include <memory>
#include <string_view>

#include "attend/core/files/input_file.h"
#include "fuzz/fuzz_file.h"

namespace attend {

// Opens the file again, with other bytes in it. Tensors of files opened before see these.
inline std::shared_ptr<const InputFile> memory_file(std::string_view bytes) {
  static const FuzzFile file;
  file.write(bytes);
  return std::make_shared<const InputFile>(file.path());
}

}  // namespace attend
