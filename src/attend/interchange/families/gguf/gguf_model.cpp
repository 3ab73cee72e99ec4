#include "attend/interchange/families/gguf/gguf_model.h"

#include <array>
#include <memory>
#include <utility>

#include "attend/interchange/families/families.h"
#include "attend/interchange/families/gguf/gguf_config.h"
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
  if (family == "gemma") return read_gemma;
  if (family == "gemma2") return read_gemma2;
  if (family == "gemma3_text") return read_gemma3;
  if (family == "gpt2") return read_gpt2;
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
  GgufTokenizer tokenizer = read_gguf_tokenizer(metadata);
  GgufConfig read = read_gguf_config(metadata, file.tensors, tokenizer.pieces);
  metadata.require_all_known();
  std::string family = read.config.at("model_type");
  ForeignConfig config(std::move(read.config), path.string());
  config.ignore({"model_type"});
  const ModelDirectory directory(path.string(), std::move(tokenizer.files));
  ForeignModel foreign = reader_of_gguf(family)(directory, config);
  config.require_all_known();
  foreign.names = gguf_names(read.has_fused);
  foreign.base = {};
  foreign.ignorable = {};
  if (!read.has_fused) foreign.ignorable.push_back(kRopeFactors);  // which the settings say
  if (read.heads.queries > 0) file.tensors = with_halves_to_rotate(file.tensors, read.heads);
  return {std::move(foreign), std::move(file.tensors), std::move(family), file.is_quantized};
}

}  // namespace attend
