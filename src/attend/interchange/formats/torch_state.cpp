#include "attend/interchange/formats/torch_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::size_t kHighestTorchRank = 64;

struct StorageType {
  std::string_view function;
  ElementType type;
};

constexpr std::array kStorageTypes = {
    StorageType{"torch.FloatStorage", ElementType::f32},
    StorageType{"torch.HalfStorage", ElementType::f16},
    StorageType{"torch.BFloat16Storage", ElementType::bf16},
    StorageType{"torch.DoubleStorage", ElementType::f64},
    StorageType{"torch.LongStorage", ElementType::i64},
    StorageType{"torch.IntStorage", ElementType::i32},
    StorageType{"torch.ShortStorage", ElementType::i16},
    StorageType{"torch.CharStorage", ElementType::i8},
    StorageType{"torch.ByteStorage", ElementType::u8},
    StorageType{"torch.BoolStorage", ElementType::boolean},
};
constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";

// Reads one entry of the dictionary.
class EntryReader {
 public:
  EntryReader(const Pickle& pickle, std::string_view name) : pickle_(pickle), name_(name) {}

  TorchTensor tensor(PickleRef ref) const {
    const PickleValue* value = &pickle_[ref];
    if (pickle_.is_call(*value, kRebuildParameter)) value = &argument(*value, 0);
    if (!pickle_.is_call(*value, kRebuildTensor))
      refuse(fmt::format("expected a tensor, found {}", describe(*value)));
    TorchTensor tensor{.name = std::string(name_),
                       .storage = storage(argument(*value, 0)),
                       .offset = count(argument(*value, 1), "an offset"),
                       .layout = {extents(argument(*value, 2)), extents(argument(*value, 3))}};
    check(tensor);
    return tensor;
  }

  // ('storage', type, key, device, number of elements) and, in old files, a view, which has not
  // been written for many years.
  TorchStorage storage(const PickleValue& value) const {
    const PickleValue* const id =
        value.kind == PickleKind::persistent ? &pickle_[value.items[0]] : nullptr;
    if (id == nullptr || id->kind != PickleKind::tuple || id->items.size() < 5 ||
        id->items.size() > 6 || pickle_[id->items[0]].text != "storage")
      refuse(fmt::format("expected a storage, found {}", name_of(value.kind)));
    if (id->items.size() == 6 && pickle_[id->items[5]].kind != PickleKind::none)
      refuse("its storage is a view of another one; save it again with a newer PyTorch");
    const PickleValue &type = pickle_[id->items[1]], &key = pickle_[id->items[2]];
    const auto known = std::find_if(kStorageTypes.begin(), kStorageTypes.end(),
                                    [&](const StorageType& t) { return t.function == type.text; });
    if (type.kind != PickleKind::function || known == kStorageTypes.end())
      refuse(fmt::format("expected a type of storage, found {}", name_of(type.kind)));
    if (key.kind != PickleKind::text)
      refuse(fmt::format("expected the name of a storage, found {}", name_of(key.kind)));
    return {std::string(key.text), known->type,
            count(pickle_[id->items[4]], "a number of elements")};
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw DataError(fmt::format("{}: tensor {}: {}", pickle_.where(), quote(name_), why));
  }

  std::string describe(const PickleValue& value) const {
    if (value.kind != PickleKind::call) return std::string(name_of(value.kind));
    return fmt::format("a call of {}", pickle_[value.items[0]].text);
  }

  const PickleValue& argument(const PickleValue& call, std::size_t index) const {
    const std::vector<PickleRef>& arguments = pickle_[call.items[1]].items;
    if (index >= arguments.size())
      refuse(fmt::format("expected more than {} arguments of {}, found {}", index,
                         pickle_[call.items[0]].text, arguments.size()));
    return pickle_[arguments[index]];
  }

  std::uint64_t count(const PickleValue& value, std::string_view what) const {
    if (value.kind != PickleKind::integer || value.integer < 0)
      refuse(value.kind == PickleKind::integer
                 ? fmt::format("expected {} of 0 or more, found {}", what, value.integer)
                 : fmt::format("expected {}, found {}", what, name_of(value.kind)));
    return static_cast<std::uint64_t>(value.integer);
  }

  std::vector<std::int64_t> extents(const PickleValue& value) const {
    if (value.kind != PickleKind::tuple || value.items.size() > kHighestTorchRank)
      refuse(fmt::format("expected a tuple of at most {} sizes, found {} of {}", kHighestTorchRank,
                         name_of(value.kind), value.items.size()));
    std::vector<std::int64_t> extents;
    for (const PickleRef item : value.items)
      extents.push_back(static_cast<std::int64_t>(count(pickle_[item], "a size")));
    return extents;
  }

  void check(const TorchTensor& tensor) const {
    const StridedLayout& layout = tensor.layout;
    if (layout.shape.size() != layout.strides.size())
      refuse(fmt::format("it has {} sizes and {} strides", layout.shape.size(),
                         layout.strides.size()));
    const auto elements = count_elements(layout.shape);
    const auto extent = layout.extent();
    const std::uint64_t most = tensor.storage.elements;
    // No more elements than the storage has: a stride of 0 makes any number out of one.
    if (elements && extent && *elements <= most && tensor.offset <= most &&
        *extent <= most - tensor.offset)
      return;
    refuse(fmt::format(
        "expected it inside its storage of {} elements, found offset {}, size [{}], "
        "strides [{}]",
        most, tensor.offset, fmt::join(layout.shape, ", "), fmt::join(layout.strides, ", ")));
  }

  const Pickle& pickle_;
  std::string_view name_;
};

}  // namespace

std::span<const std::string_view> torch_functions() {
  static const std::vector<std::string_view> functions = [] {
    std::vector<std::string_view> all = {"collections.OrderedDict", kRebuildTensor,
                                         kRebuildParameter};
    for (const StorageType& type : kStorageTypes) all.push_back(type.function);
    return all;
  }();
  return functions;
}

std::vector<TorchTensor> torch_tensors(const Pickle& pickle, const PickleValue& root) {
  if (root.kind != PickleKind::dictionary)
    throw DataError(fmt::format("{}: expected a dictionary of tensors, found {}", pickle.where(),
                                name_of(root.kind)));
  std::vector<TorchTensor> tensors;
  for (std::size_t i = 0; i < root.items.size(); i += 2) {
    const PickleValue& key = pickle[root.items[i]];
    if (key.kind != PickleKind::text)
      throw DataError(fmt::format("{}: expected the name of a tensor, found {}", pickle.where(),
                                  name_of(key.kind)));
    tensors.push_back(EntryReader(pickle, key.text).tensor(root.items[i + 1]));
  }
  return tensors;
}

std::vector<TorchStorage> torch_storages(const Pickle& pickle) {
  std::vector<TorchStorage> storages;
  for (const PickleValue& value : pickle.values())
    if (value.kind == PickleKind::persistent)
      storages.push_back(EntryReader(pickle, "of its storages").storage(value));
  return storages;
}

ForeignTensor to_foreign(const TorchTensor& tensor, std::string file, ReadStorage read) {
  const std::size_t width = size_of(tensor.storage.type);
  const std::uint64_t begin = tensor.offset * width;
  ForeignTensor foreign{.file = std::move(file),
                        .name = tensor.name,
                        .type = tensor.storage.type,
                        .shape = tensor.layout.shape,
                        .read = nullptr};
  if (tensor.layout.is_row_major()) {
    foreign.read = [begin, read = std::move(read)](std::span<std::byte> to) {
      if (!to.empty()) read(begin, to);
    };
    return foreign;
  }
  foreign.read = [begin, width, layout = tensor.layout,
                  read = std::move(read)](std::span<std::byte> to) {
    if (to.empty()) return;
    std::vector<std::byte> storage(static_cast<std::size_t>(*layout.extent()) * width);
    read(begin, storage);
    gather(layout, width, storage, to);
  };
  return foreign;
}

}  // namespace attend
