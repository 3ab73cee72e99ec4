// The reader of PyTorch's pickles against hostile bytes: tensors that are inside their storages, or
// a DataError.
#include <stdexcept>

#include "attend/error.h"
#include "attend/interchange/formats/pickle.h"
#include "attend/interchange/formats/pickle_json.h"
#include "attend/interchange/formats/torch_state.h"
#include "fuzz/fuzz_target.h"
#include "interchange/written_formats.h"

namespace attend::pickle_fuzz {
namespace {

void read(std::span<const std::byte> bytes) {
  try {
    const Pickle pickle(bytes, torch_functions(), "fuzz");
    if (pickle.size() > bytes.size()) throw std::logic_error("a pickle longer than its bytes");
    for (const TorchTensor& tensor : torch_tensors(pickle, pickle.root())) {
      if (tensor.offset + *tensor.layout.extent() > tensor.storage.elements ||
          *count_elements(tensor.layout.shape) > tensor.storage.elements)
        throw std::logic_error("a tensor that is larger than its storage");
    }
  } catch (const DataError&) {
  }
}

// What checkpoints have beside tensors.
void read_settings(std::span<const std::byte> bytes) {
  try {
    const Pickle pickle(bytes, torch_functions(), "fuzz", OtherFunctions::opaque);
    pickled_json(pickle, pickle.root()).dump();
    torch_storages(pickle);
  } catch (const DataError&) {
  }
}

std::vector<std::string> corpus() {
  return {
      pickled_state({}),
      pickled_state({.type = "HalfStorage", .offset = 1, .shape = {2, 2}, .strides = {1, 2}}),
      pickle_of("ccollections\nOrderedDict\n)Rq\1(" + pickled("a") + "q\2" +
                pickled_tensor({.shape = {}, .strides = {}}) + "h\2h\1u}" + pickled("_metadata") +
                "h\1sb"),
      pickle_of("](K\1M\1\1J\1\1\1\1\x8a\x09" + std::string(9, '\xff') +
                "N\x88\x89"
                "e"),
      pickle_of("]q\1h\1a"),
      pickle_of("cargparse\nNamespace\n)\x81}(" + pickled("layers") + "K\6" + pickled("dropout") +
                std::string("G\x3f\xb9\x99\x99\x99\x99\x99\x9a", 9) + "ub"),
      pickle_of("ccollections\nCounter\n)R" + pickled("a") + "K\1s]K\2a\x86")};
}

std::vector<std::string> dictionary() {
  return {"ctorch._utils\n_rebuild_tensor_v2\n",
          "ctorch._utils\n_rebuild_parameter\n",
          "ccollections\nOrderedDict\n",
          "ctorch\nFloatStorage\n",
          "ctorch\nBoolStorage\n",
          "cos\nsystem\n",
          "cargparse\nNamespace\n",
          "\x81",
          "G",
          pickled("storage"),
          pickled(std::int64_t{-1}),
          pickled(std::int64_t{9223372036854775807}),
          "(",
          "t",
          "R",
          "Q",
          "u",
          "s",
          "e",
          "a",
          "b",
          "q\1",
          "h\1",
          "r\xff\xff\xff\xff",
          "j\xff\xff\xff\xff",
          "\x85",
          "\x86",
          "\x87",
          ")",
          "]",
          "}"};
}

// What ends too early never shows what it holds.
void repair(std::string& input) {
  if (!input.starts_with("\x80\x02")) input.insert(0, "\x80\x02");
  if (!input.ends_with('.')) input += '.';
}

void use(std::string_view input) {
  read(std::as_bytes(std::span(input)));
  read_settings(std::as_bytes(std::span(input)));
}

const RegisteredFuzzTarget registered{{"pickle", corpus, dictionary, use, repair}};

}  // namespace
}  // namespace attend::pickle_fuzz
