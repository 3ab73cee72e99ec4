// Archives of NumPy arrays (.npz), as numpy.savez, numpy.savez_compressed and Marian write them: a
// ZIP archive of .npy files.
#pragma once

#include <memory>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// Reads all arrays, named without ".npy". Converts column-major arrays to row-major ones. Throws
// DataError for an entry that is not an array, or whose size differs from its header.
TensorTable read_npz(std::shared_ptr<const InputFile> file);

}  // namespace attend
