#include "attend/interchange/formats/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "attend/core/files/packed/zip_archive.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/formats/npy_header.h"

namespace attend {

namespace {

StridedLayout column_major(std::vector<std::int64_t> shape) {
  StridedLayout layout{std::move(shape), {}};
  std::int64_t stride = 1;
  for (const std::int64_t extent : layout.shape) {
    layout.strides.push_back(stride);
    stride *= extent;
  }
  return layout;
}

NpyHeader read_header(const ZipArchive& archive, const ZipEntry& entry, const std::string& where) {
  std::vector<std::byte> begin(
      static_cast<std::size_t>(std::min<std::uint64_t>(entry.size, kLongestNpyHeader)));
  archive.read(entry, 0, begin);
  NpyHeader header = read_npy_header(begin, where);
  const auto elements = count_elements(header.shape);
  if (!elements || entry.size - header.bytes != *elements * size_of(header.type))
    throw DataError(fmt::format("{}: expected {} [{}], found {} bytes", where, name_of(header.type),
                                fmt::join(header.shape, ", "), entry.size - header.bytes));
  return header;
}

ForeignTensor read_array(const std::shared_ptr<const ZipArchive>& archive, const ZipEntry& entry,
                         std::string name) {
  const NpyHeader header =
      read_header(*archive, entry, fmt::format("{}: array {}", archive->path(), quote(name)));
  ForeignTensor tensor{.file = archive->path(),
                       .name = std::move(name),
                       .type = header.type,
                       .shape = header.shape,
                       .read = nullptr};
  const auto read = [archive, &entry, begin = header.bytes](std::span<std::byte> to) {
    archive->read(entry, begin, to);
  };
  if (!header.column_major) {
    tensor.read = read;
    return tensor;
  }
  tensor.read = [read, layout = column_major(header.shape),
                 width = size_of(header.type)](std::span<std::byte> to) {
    std::vector<std::byte> columns(to.size());
    read(columns);
    gather(layout, width, columns, to);
  };
  return tensor;
}

}  // namespace

TensorTable read_npz(std::shared_ptr<const InputFile> file) {
  constexpr std::string_view kSuffix = ".npy";
  const auto archive = std::make_shared<const ZipArchive>(std::move(file));
  TensorTable table(archive->path());
  for (const ZipEntry& entry : archive->entries()) {
    if (!entry.name.ends_with(kSuffix))
      throw DataError(fmt::format("{}: expected arrays (.npy) in the zip file, found {}",
                                  archive->path(), quote(entry.name)));
    table.add(read_array(archive, entry, entry.name.substr(0, entry.name.size() - kSuffix.size())));
  }
  return table;
}

}  // namespace attend
