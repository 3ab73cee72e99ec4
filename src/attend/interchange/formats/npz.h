// Archives of NumPy arrays (.npz), as numpy.savez, numpy.savez_compressed and Marian write them: a
// ZIP archive of .npy files.
#pragma once

#include <memory>

#include "attend/checkpoint/file_content.h"
#include "attend/interchange/tensor_table.h"

namespace attend {

// The arrays by their names without ".npy". Arrays in column-major order are read row after row.
// Throws DataError for an entry that is no array, or not as large as its header says.
TensorTable read_npz(std::shared_ptr<const InputFile> file);

}  // namespace attend
