// GGUF files against hostile bytes: tensors that can be read, or a DataError.
#include <stdexcept>

#include "attend/error.h"
#include "attend/interchange/formats/gguf/gguf_file.h"
#include "core/memory_file.h"
#include "fuzz/fuzz_target.h"
#include "interchange/written_gguf.h"

namespace attend::gguf_file_fuzz {
namespace {

void use(std::string_view input) {
  try {
    const GgufFile file = read_gguf(memory_file(std::string(input)));
    for (const ForeignTensor& tensor : file.tensors.tensors()) {
      // An element has four bits at least.
      if (tensor.elements() > 2 * input.size())
        throw std::logic_error("a tensor that is larger than the file");
      std::vector<std::byte> elements(static_cast<std::size_t>(tensor.bytes()));
      tensor.read(elements);
    }
  } catch (const DataError&) {
  }
}

std::vector<std::string> corpus() {
  std::vector<std::string> inputs;
  for (const std::uint32_t version : {2u, 3u})
    inputs.push_back(written_gguf(
        {.entries = {{"general.architecture", gguf_string("llama")},
                     {"general.alignment", gguf_u32(32)},
                     {"llama.rope.freq_base", gguf_f32(1e4f)},
                     {"tokenizer.ggml.add_bos_token", gguf_flag(true)},
                     {"tokenizer.ggml.tokens", gguf_strings({"a", "b"})},
                     {"tokenizer.ggml.token_type", gguf_array(5, {bytes_of(1), bytes_of(3)})}},
         .tensors = {{"output_norm.weight", 0, {2}, "12345678"},
                     {"blk.0.attn_q.weight", 2, {1, 32}, std::string(18, 'q')},
                     {"blk.0.attn_k.weight", 14, {1, 256}, std::string(210, 'k')}},
         .version = version}));
  return inputs;
}

std::vector<std::string> dictionary() {
  return {"general.alignment", std::string(8, '\xff'), std::string(8, '\0'),
          std::string("\1\0\0\0\0\0\0\0", 8), std::string("\x0c\0\0\0", 4)};
}

const RegisteredFuzzTarget registered{{"gguf_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::gguf_file_fuzz
