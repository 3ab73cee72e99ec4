// Packed matrices of weights as tensors of a file, which kernels use where they lie: NAME.packed in
// place of the tensors of NAME (stored_weights.h), with the shape and the bytes that the packed
// tensor has in memory (backend/weights.h), as F32, BF16, I8 or, in 4 bits, U8.
//
// The metadata name their layout (backend/weight_layout.h), which says the order of the bytes.
// Programs that know no layouts refuse the format of such files, kPackedFormat.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters/parameters.h"

namespace attend {

// Throws DataError, which `where` begins, if the metadata name a layout that is not known.
void check_layout(const Metadata& metadata, std::string_view where);

// The name of a tensor of a checkpoint in its file.
std::string name_in_file(std::string_view name, DType dtype);
// A tensor as its file has it, and a tensor of a file with a layout as the checkpoint has it: that
// of NAME.packed is NAME, of a packed type. Throws DataError, which `where` begins, unless such a
// tensor can be packed.
NamedTensor as_in_file(const NamedTensor& tensor);
NamedTensor as_in_memory(const NamedTensor& tensor, std::string_view where);

// Puts rows in the place of packed tensors in memory.
void unpack_tensors(Checkpoint& checkpoint);

// `model` with the matrices that are packed in `parameters`, those of the loaded model. Omits
// training state.
Checkpoint pack_tensors(const Checkpoint& model, const ParameterSet& parameters);

// The tensors of `checkpoint` that are used where they lie in its file; none if it is not mapped,
// its layout is not that of the kernels, or they cannot read host memory.
ParameterSet::Stored tensors_in_place(const Checkpoint& checkpoint);

// Whether it is NAME.packed, and how many weights and scales such a tensor of a file holds.
bool is_packed_name(std::string_view name);
std::uint64_t numbers_of(const TensorEntry& entry);

}  // namespace attend
