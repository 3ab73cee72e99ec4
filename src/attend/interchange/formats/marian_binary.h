// Binary Marian models (.bin), version 1.
//
//   8 bytes    version
//   8 bytes    N, the number of tensors
//   N x 32     length of the name, type, number of extents, bytes of data: 8 bytes each
//   N names    each ends with a zero byte
//   N shapes   4 bytes for each extent
//   8 bytes    P, then P bytes of padding
//   N data     elements, perhaps followed by padding
#pragma once

#include <memory>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// Reads tensors of float32, text (int8), and weights in 8 bits for any processor (intgemm8), which
// become float32: the elements of a matrix are column after column, but row after row in tables of
// embeddings, and the number that they were multiplied by follows them. Throws DataError if the
// file is damaged, and for any other type, which it names, such as weights packed for one kind of
// processor.
TensorTable read_marian_binary(std::shared_ptr<const InputFile> file);

}  // namespace attend
