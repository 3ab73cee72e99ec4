// model.bin of a directory of CTranslate2, in its binary versions 2 to 6.
//
//   u32 version, string specification, u32 its revision
//   u32 N, then N variables:
//     string name, u8 rank, u32 extents
//     u8 type, u32 bytes                        from version 4
//     u8 bytes of an element, u32 elements      before
//     elements, row-major
//   u32 M, then M times string alias, string variable     from version 3
//
// A string is its length as u16, with the zero byte at its end. Weights in 8 bits have a variable
// NAME_scale with a factor for each row, those in 16-bit integers one factor for all: an element is
// the integer divided by its factor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

struct Ctranslate2File {
  std::string specification;  // "TransformerSpec"
  std::uint32_t revision = 0;
  // Weights that are integers with factors appear as F32, and their factors not at all. An alias is
  // a tensor of its own with the same elements.
  TensorTable variables;
};

// Throws DataError if the file is damaged, or of another version.
Ctranslate2File read_ctranslate2_file(std::shared_ptr<const InputFile> file);

}  // namespace attend
