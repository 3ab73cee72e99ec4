#include "attend/interchange/families/gguf/gguf_names.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/gguf/gguf_experts.h"

namespace attend {

namespace {

constexpr std::array kGgufNames{
    NameRule{"embedding.weight", "token_embd.weight"},
    NameRule{"positions.weight", "position_embd.weight"},
    NameRule{"norm.*", "token_embd_norm.*"},
    NameRule{"decoder.layers.*.norm1.*", "blk.*.attn_norm.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "blk.*.attn_output.*"},
    NameRule{"decoder.layers.*.self_attn.q_norm.*", "blk.*.attn_q_norm.*"},
    NameRule{"decoder.layers.*.self_attn.k_norm.*", "blk.*.attn_k_norm.*"},
    NameRule{"decoder.layers.*.norm1_branch.*", "blk.*.post_attention_norm.*"},
    NameRule{"decoder.layers.*.norm2.*", "blk.*.ffn_norm.*"},
    NameRule{"decoder.layers.*.norm2_branch.*", "blk.*.post_ffw_norm.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "blk.*.ffn_down.*"},
    NameRule{"decoder.norm.*", "output_norm.*"},
    NameRule{"output_proj.weight", "output.weight"},
};

constexpr std::array kGatedNames{
    NameRule{"decoder.layers.*.self_attn.q_proj.*", "blk.*.attn_q.*"},
    NameRule{"decoder.layers.*.self_attn.k_proj.*", "blk.*.attn_k.*"},
    NameRule{"decoder.layers.*.self_attn.v_proj.*", "blk.*.attn_v.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "blk.*.ffn_gate.*"},
    NameRule{"decoder.layers.*.feed_forward.linear_gate.*", "blk.*.ffn_up.*"},
};

constexpr NameRule fused_part(std::string_view ours, int index) {
  return {ours, "blk.*.attn_qkv.*", ForeignLayout::same, {.index = index, .count = 3}};
}

constexpr std::array kFusedNames{
    fused_part("decoder.layers.*.self_attn.q_proj.*", 0),
    fused_part("decoder.layers.*.self_attn.k_proj.*", 1),
    fused_part("decoder.layers.*.self_attn.v_proj.*", 2),
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "blk.*.ffn_up.*"},
};

using ReadBytes = std::function<void(std::span<std::byte> to)>;

// The rows of every head in the order of halves.
ReadBytes in_halves(ReadBytes read, std::int64_t rows, std::int64_t width) {
  return [read = std::move(read), rows, width](std::span<std::byte> to) {
    std::vector<std::byte> pairs(to.size());
    read(pairs);
    const std::size_t bytes = to.size() / static_cast<std::size_t>(rows);
    for (std::int64_t row = 0; row < rows; ++row)
      std::memcpy(to.data() + static_cast<std::size_t>(row) * bytes,
                  pairs.data() + static_cast<std::size_t>(row_of_half(row, width)) * bytes, bytes);
  };
}

// The heads of which a tensor has rows; 0: it is another.
std::int64_t heads_in(std::string_view name, const GgufHeads& heads) {
  for (const std::string_view end : {"weight", "bias"}) {
    if (name.ends_with(fmt::format(".attn_q.{}", end))) return heads.queries;
    if (name.ends_with(fmt::format(".attn_k.{}", end))) return heads.keys;
  }
  return 0;
}

}  // namespace

NameMap gguf_names(bool fused) {
  NameMap names(kGgufNames);
  fused ? names.add(kFusedNames) : names.add(kGatedNames);
  add_gguf_expert_names(names);
  return names;
}

TensorTable with_halves_to_rotate(const TensorTable& file, const GgufHeads& heads) {
  TensorTable changed(file.where());
  for (ForeignTensor tensor : file.tensors()) {
    if (const std::int64_t count = heads_in(tensor.name, heads); count > 0) {
      const std::int64_t rows = tensor.shape.empty() ? 0 : tensor.shape.front();
      if (rows == 0 || rows % (2 * count) != 0)
        throw DataError(
            fmt::format("{}: tensor {}: expected an even number of rows for each of {} "
                        "heads, found {} rows",
                        tensor.file, quote(tensor.name), count, rows));
      tensor.read = in_halves(std::move(tensor.read), rows, rows / count);
    }
    changed.add(std::move(tensor));
  }
  return changed;
}

}  // namespace attend
