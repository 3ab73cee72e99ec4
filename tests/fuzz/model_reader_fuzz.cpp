// The reader of model files against hostile bytes: it either reads them or throws a DataError.
#include <algorithm>
#include <cstring>
#include <memory>

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/state.h"
#include "attend/error.h"
#include "fuzz/fuzz_target.h"

namespace attend::model_reader_fuzz {
namespace {

// Touches every byte a tensor claims to have.
void read_all(const Tensor& tensor) {
  const std::size_t size = static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype());
  volatile unsigned sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum = sum + std::to_integer<unsigned>(tensor.bytes()[i]);
}

void read_model(const SafetensorsFile& file) {
  for (const TensorEntry& entry : file.entries()) {
    try {
      read_all(file.tensor(entry));
    } catch (
        const DataError&) {  // a type or rank that Tensor does not have; the others are still read
    }
  }
  const Checkpoint checkpoint = load_checkpoint(file);
  const StateReader state(checkpoint, "state.");
  if (state.contains("step")) state.get<std::int64_t>("step");
  if (state.contains("best")) state.get<double>("best");
}

// Sets the header length to where the last '}' is, as most mutations move it.
void repair(std::string& input) {
  if (input.size() < 8) return;
  const std::size_t last = input.rfind('}');
  const std::uint64_t length = last == std::string::npos || last < 8 ? 0 : last - 7;
  for (std::size_t i = 0; i < 8; ++i) input[i] = static_cast<char>(length >> (8 * i));
}

std::string with_header(const std::string& header, std::size_t data_bytes) {
  std::string file(8, '\0');
  file += header + std::string(data_bytes, 'd');
  repair(file);
  return file;
}

std::vector<std::string> corpus() {
  return {
      with_header("{}", 0),
      with_header(R"({"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}   )", 24),
      with_header(
          R"({"__metadata__":{"attend.format":"1","attend.checksum":"none","state.step":"12","state.best":"-1.5e3"},)"
          R"("w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"t":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}})",
          19),
      with_header(
          R"({"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"b":{"dtype":"I8","shape":[0,7],"data_offsets":[2,2]},)"
          R"("c":{"dtype":"F64","shape":[1,1,1,1,1],"data_offsets":[2,10]},"d":{"dtype":"I32","shape":[1],"data_offsets":[10,14]}})",
          14),
      with_header(
          R"({"__metadata__":{"\u00e4\ud83d\ude00":"\"\\\n"},"f4":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})",
          2),
  };
}

std::vector<std::string> dictionary() {
  return {"{",
          "}",
          "[",
          "]",
          ":",
          ",",
          "\"",
          "\\u",
          "null",
          "true",
          "1e9",
          "-1",
          "0",
          "4294967296",
          "9223372036854775807",
          "18446744073709551615",
          "\"F32\"",
          "\"U8\"",
          "\"F4\"",
          "\"dtype\"",
          "\"shape\"",
          "\"data_offsets\"",
          "\"__metadata__\"",
          "\"attend.format\"",
          "\"attend.checksum\"",
          std::string("\0", 1),
          "\xff",
          "[0,0]",
          "[[[["};
}

void use(std::string_view input) {
  // A block of exactly this size, so that AddressSanitizer sees one byte too far.
  std::shared_ptr<std::byte> bytes(new std::byte[input.size()], std::default_delete<std::byte[]>());
  if (!input.empty()) std::memcpy(bytes.get(), input.data(), input.size());
  try {
    read_model(SafetensorsFile::from_memory(bytes, input.size(), "fuzz"));
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"model_reader", corpus, dictionary, use, repair}};

}  // namespace
}  // namespace attend::model_reader_fuzz
