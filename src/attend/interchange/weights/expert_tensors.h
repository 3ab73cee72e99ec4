// The weights of experts, which some files hold one by one, others stacked.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// A part of a name that may stand for another.
struct NameAlias {
  std::string_view alias;
  std::string_view name;
};

// Tensors of three dimensions as one for each expert: "X.experts.gate_up_proj" [E, 2F, D] as
// "X.experts.N.gate_proj.weight" and "X.experts.N.up_proj.weight" [F, D], "X.experts.down_proj"
// [E, D, F] as "X.experts.N.down_proj.weight"; in GGUF "X_exps.weight" as "X_exps.N.weight". Then
// aliases are replaced in all names. A stack is read once, when its first part is.
TensorTable with_separate_experts(const TensorTable& file, std::span<const NameAlias> aliases = {});

// The other direction, for GGUF: "X_exps.N.weight" of all N as "X_exps.weight", where the first of
// them was. Others stay as they are. Throws Error when one is missing.
std::vector<NamedTensor> with_stacked_experts(std::vector<NamedTensor> tensors);

}  // namespace attend
