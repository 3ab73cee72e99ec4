#include "attend/interchange/weights/foreign_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/core/files/byte_reader.h"
#include "attend/core/files/packed/zip_archive.h"
#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/formats/marian_binary.h"
#include "attend/interchange/formats/npz.h"
#include "attend/interchange/formats/torch_file.h"

namespace attend {

namespace {

TensorTable read_foreign_safetensors(const std::shared_ptr<const InputFile>& file) {
  TensorTable table(file->path());
  for (TensorEntry& entry : read_safetensors_header(*file).tensors) {
    const auto type = element_type(entry.dtype);
    if (!type || !count_elements(entry.shape))
      throw DataError(
          fmt::format("{}: tensor {}: expected elements F64, F32, F16, BF16, I64, I32, "
                      "I16, I8, U8 or BOOL, found {} [{}]",
                      file->path(), quote(entry.name), entry.dtype, fmt::join(entry.shape, ", ")));
    table.add({.file = file->path(),
               .name = std::move(entry.name),
               .type = *type,
               .shape = std::move(entry.shape),
               .read = [file, begin = entry.begin](std::span<std::byte> to) {
                 if (!to.empty()) file->read(begin, to);
               }});
  }
  return table;
}

// Whether a zip file is a checkpoint of PyTorch, and not an archive of arrays.
bool is_torch_archive(const std::shared_ptr<const InputFile>& file) {
  const ZipArchive archive(file);
  return std::any_of(archive.entries().begin(), archive.entries().end(),
                     [](const ZipEntry& entry) { return entry.name.ends_with("/data.pkl"); });
}

TensorTable open_shards(const ModelDirectory& directory, std::string_view index_name) {
  const std::string index_path = directory.file(index_name).string();
  const auto shard_of = parse_weight_map(directory.text(index_name), index_path);
  std::set<std::string> shards;
  for (const auto& [name, shard] : shard_of) shards.insert(shard);
  TensorTable table(index_path);
  for (const std::string& shard : shards) {
    TensorTable part = open_foreign_weights(directory.open(shard));
    for (const ForeignTensor& tensor : part.tensors()) {
      const auto listed = shard_of.find(tensor.name);
      if (listed == shard_of.end() || listed->second != shard)
        throw DataError(fmt::format("{}: tensor {} is not listed for this file in {}", tensor.file,
                                    quote(tensor.name), index_path));
      table.add(tensor);
    }
  }
  for (const auto& [name, shard] : shard_of)
    if (!table.contains(name))
      throw DataError(fmt::format("{}: tensor {} is listed in {}, which does not have it",
                                  index_path, quote(name), quote(shard)));
  return table;
}

}  // namespace

TensorTable open_foreign_weights(std::shared_ptr<const InputFile> file) {
  const auto begin = read_range(*file, 0, std::min<std::uint64_t>(file->size(), 8), "a model");
  const std::string_view magic(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (magic.starts_with("PK"))
    return is_torch_archive(file) ? read_torch_file(file) : read_npz(file);
  if (magic.starts_with("\x80\x02")) return read_torch_file(file);
  if (magic == std::string_view("\1\0\0\0\0\0\0\0", 8)) return read_marian_binary(file);
  return read_foreign_safetensors(file);
}

std::map<std::string, std::string> parse_weight_map(std::string_view json, std::string_view where) {
  const nlohmann::json index = parse_sorted_json(json, where);
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (map == index.end() || !map->is_object())
    throw DataError(fmt::format("{}: expected an object with the object 'weight_map'", where));
  std::map<std::string, std::string> shards;
  for (const auto& [name, shard] : map->items()) {
    if (!shard.is_string())
      throw DataError(
          fmt::format("{}: tensor {}: expected the name of a file", where, quote(name)));
    shards.emplace(name, shard.get<std::string>());
  }
  return shards;
}

TensorTable open_huggingface_weights(const ModelDirectory& directory) {
  constexpr std::array<std::string_view, 2> kFiles = {"model.safetensors", "pytorch_model.bin"};
  for (const std::string_view file : kFiles) {
    const std::string index = fmt::format("{}.index.json", file);
    if (directory.contains(file)) return open_foreign_weights(directory.open(file));
    if (directory.contains(index)) return open_shards(directory, index);
  }
  throw DataError(
      fmt::format("{}: expected weights in {}, or in shards that <name>.index.json "
                  "lists, found none of them",
                  directory.path(), fmt::join(kFiles, " or ")));
}

}  // namespace attend
