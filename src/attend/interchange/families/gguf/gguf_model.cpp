#include "attend/interchange/families/gguf/gguf_model.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "attend/interchange/families/families.h"
#include "attend/interchange/families/gguf/gguf_config.h"
#include "attend/interchange/families/gguf/gguf_directory.h"
#include "attend/interchange/families/gguf/gguf_experts.h"
#include "attend/interchange/families/gguf/gguf_names.h"
#include "attend/interchange/families/gguf/gguf_rotations.h"
#include "attend/interchange/families/gguf/gguf_tokenizer.h"
#include "attend/interchange/formats/gguf/gguf_parts.h"

namespace attend {

namespace {

using ReadGgufFamily = ForeignModel (*)(const ModelDirectory& directory, ForeignConfig& config);

ReadGgufFamily reader_of_gguf(std::string_view family) {
  if (family == "qwen2") return read_qwen2;
  if (family == "qwen3") return read_qwen3;
  if (family == "mixtral") return read_mixtral;
  if (family == "qwen2_moe") return read_qwen2_moe;
  if (family == "qwen3_moe") return read_qwen3_moe;
  if (family == "gemma") return read_gemma;
  if (family == "gemma2") return read_gemma2;
  if (family == "gemma3_text") return read_gemma3;
  if (family == "gpt2") return read_gpt2;
  if (family == "bert") return read_bert;
  if (family == "t5") return read_t5;
  if (family == "umt5") return read_umt5;
  return family == "bloom" ? read_bloom : read_llama;
}

}  // namespace

bool is_gguf(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const InputFile file(path);
  std::array<char, kGgufMagic.size()> begin{};
  if (file.size() < begin.size()) return false;
  file.read(0, std::as_writable_bytes(std::span(begin)));
  return std::string_view(begin.data(), begin.size()) == kGgufMagic;
}

GgufModel open_gguf(const std::filesystem::path& path) {
  GgufFile file = read_gguf_parts(path);
  ForeignConfig metadata(std::move(file.metadata), path.string());
  GgufDirectory read;
  std::optional<NameMap> names;
  std::vector<std::string_view> ignorable;
  if (const auto* const kind = gguf_directory_kind(metadata.text_or("general.architecture", ""))) {
    read = kind->read(metadata, file.tensors);
    names = kind->names(read.config);
  } else {
    GgufTokenizer tokenizer = read_gguf_tokenizer(metadata);
    GgufConfig shape = read_gguf_config(metadata, file.tensors, tokenizer.pieces);
    read = {std::move(shape.config), std::move(tokenizer.files)};
    names = gguf_names(shape.has_fused);
    file.tensors = with_separate_gguf_experts(file.tensors);
    if (!shape.has_fused) ignorable.push_back(kRopeFactors);  // which the settings say
    if (shape.heads.queries > 0) file.tensors = with_halves_to_rotate(file.tensors, shape.heads);
  }
  metadata.require_all_known();
  std::string family = read.config.at("model_type");
  ForeignConfig config(std::move(read.config), path.string());
  config.ignore({"model_type"});
  const ModelDirectory directory(path.string(), std::move(read.files));
  ForeignModel foreign = reader_of_gguf(family)(directory, config);
  config.require_all_known();
  foreign.names = *std::move(names);
  foreign.base = {};
  foreign.ignorable = std::move(ignorable);
  return {std::move(foreign), std::move(file.tensors), std::move(family), file.is_quantized};
}

}  // namespace attend
