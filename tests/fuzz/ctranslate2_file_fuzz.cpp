// model.bin of CTranslate2 against hostile bytes: variables that can be read, or a DataError.
#include <stdexcept>

#include "attend/error.h"
#include "attend/interchange/formats/ctranslate2_file.h"
#include "core/memory_file.h"
#include "fuzz/fuzz_target.h"
#include "interchange/written_ctranslate2.h"

namespace attend::ctranslate2_file_fuzz {
namespace {

void use(std::string_view input) {
  try {
    const Ctranslate2File file = read_ctranslate2_file(memory_file(std::string(input)));
    for (const ForeignTensor& tensor : file.variables.tensors()) {
      // An element has a byte at least.
      if (tensor.elements() > input.size())
        throw std::logic_error("a variable that is larger than the file");
      std::vector<std::byte> elements(static_cast<std::size_t>(tensor.bytes()));
      tensor.read(elements);
    }
  } catch (const DataError&) {
  }
}

std::vector<std::string> corpus() {
  const std::string floats = bytes_of(1.0f) + bytes_of(2.0f);
  std::vector<std::string> inputs;
  for (const std::uint32_t version : {2u, 3u, 6u}) {
    const std::uint8_t f32 = version < 4 ? 4 : 0;
    inputs.push_back(written_ctranslate2({{"a/weight", f32, {2, 1}, floats},
                                          {"b/weight", 1, {2, 2}, "abcd"},
                                          {"b/weight_scale", f32, {2}, floats},
                                          {"c/weight", 2, {2}, "abcd"},
                                          {"flag", 1, {}, "\1"}},
                                         {{"x/weight", "b/weight"}}, version));
  }
  return inputs;
}

std::vector<std::string> dictionary() {
  return {"weight",
          "weight_scale",
          std::string("\xff\xff\xff\xff", 4),
          std::string(4, '\0'),
          std::string("\1\0\0\0", 4),
          "TransformerSpec",
          std::string("\2\0x\0", 4)};
}

const RegisteredFuzzTarget registered{{"ctranslate2_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::ctranslate2_file_fuzz
