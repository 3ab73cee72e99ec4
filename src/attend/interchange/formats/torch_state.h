// The tensors in the pickle of a PyTorch checkpoint, as views of storages. Private to interchange/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/formats/pickle.h"
#include "attend/interchange/weights/element_type.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// The functions and storage types that such a pickle may name.
std::span<const std::string_view> torch_functions();

// A block of elements of one type. Several tensors may share it.
struct TorchStorage {
  std::string key;  // its name in the file
  ElementType type = ElementType::f32;
  std::uint64_t elements = 0;
};

struct TorchTensor {
  std::string name;
  TorchStorage storage;
  std::uint64_t offset = 0;  // of the first element, in elements
  StridedLayout layout;      // lies inside the storage and has no more elements than it
};

// Reads a dictionary from names to tensors, which is in the pickle. Throws DataError for any other
// value, and for a tensor that exceeds its storage.
std::vector<TorchTensor> torch_tensors(const Pickle& pickle, const PickleValue& dictionary);
// The storages that the pickle names, those of no tensor, too. Throws DataError.
std::vector<TorchStorage> torch_storages(const Pickle& pickle);

// Fills `to` with the bytes of a storage from `begin` on.
using ReadStorage = std::function<void(std::uint64_t begin, std::span<std::byte> to)>;

// Converts to the type that all readers return.
ForeignTensor to_foreign(const TorchTensor& tensor, std::string file, ReadStorage read);

}  // namespace attend
