#include "attend/documents/office/office_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>

#include "attend/core/files/packed/zip_archive.h"
#include "attend/core/strings/quote.h"
#include "attend/core/too_long.h"
#include "attend/documents/markup/xml.h"
#include "attend/error.h"

namespace attend {
namespace {

void put_16(std::string& out, std::uint64_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>((value >> 8) & 0xff);
}
void put_32(std::string& out, std::uint64_t value) {
  put_16(out, value & 0xffff);
  put_16(out, (value >> 16) & 0xffff);
}

std::string deflated(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::uint32_t checksum_of(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

// As they stand in the file: the first one says what kind of file it is.
std::vector<ZipEntry> entries_in_order(const ZipArchive& archive) {
  std::vector<ZipEntry> entries = archive.entries();
  std::stable_sort(entries.begin(), entries.end(),
                   [](const ZipEntry& a, const ZipEntry& b) { return a.header < b.header; });
  return entries;
}

}  // namespace

OfficeFile::OfficeFile(std::string_view name, std::string_view bytes, OfficeKind kind) {
  const ZipArchive archive(std::make_shared<const InputFile>(quote(name), bytes));
  const PartReaders readers = part_readers(archive, kind);
  std::uint64_t unpacked = 0, packed = 0;
  for (const ZipEntry& entry : entries_in_order(archive)) {
    packed += entry.packed_size;
    if (packed > bytes.size())
      throw DataError(fmt::format("{}: corrupt archive: entries overlap", archive.path()));
    Entry own{.name = entry.name,
              .packed = std::string(bytes.substr(entry.begin, entry.packed_size)),
              .checksum = entry.checksum,
              .size = entry.size,
              .deflated = entry.deflated};
    if (const auto reader = readers.find(entry.name); reader != readers.end()) {
      unpacked += entry.size;
      if (unpacked > kLargestPart)
        throw TooLongError(
            fmt::format("{}: its texts are larger than {} bytes", archive.path(), kLargestPart));
      own.part = static_cast<int>(documents_.size());
      documents_.push_back(reader->second(read_xml_part(archive, entry)));
    }
    entries_.push_back(std::move(own));
  }
  if (documents_.empty())
    throw DataError(
        fmt::format("{}: there is no text in it; expected {}", archive.path(), main_part(kind)));
}

std::size_t OfficeFile::bytes() const {
  std::size_t all = 0;
  for (const Entry& entry : entries_) all += entry.name.size() + entry.packed.size();
  for (const MarkupDocument& document : documents_) all += document.bytes();
  return all;
}

std::string OfficeFile::with_parts(const std::vector<std::string>& parts) const {
  std::string out, directory;
  for (const Entry& entry : entries_) {
    std::string packed = entry.packed;
    std::uint64_t size = entry.size;
    std::uint32_t checksum = entry.checksum;
    bool is_deflated = entry.deflated;
    if (entry.part >= 0) {
      const std::string& text = parts.at(static_cast<std::size_t>(entry.part));
      require_well_formed(text, entry.name);
      packed = deflated(text);
      size = text.size();
      checksum = checksum_of(text);
      is_deflated = true;
    }
    // Version 2.0, names in UTF-8, the method; no time, as there is none to tell: 1 January 1980.
    std::string header;
    put_16(header, 20);
    put_16(header, 0x800);
    put_16(header, is_deflated ? 8 : 0);
    put_32(header, 0x210000);
    put_32(header, checksum);
    put_32(header, packed.size());
    put_32(header, size);
    put_16(header, entry.name.size());
    put_16(header, 0);
    put_32(directory, 0x02014b50);
    put_16(directory, 20);
    directory += header;
    directory.append(10, '\0');
    put_32(directory, out.size());
    directory += entry.name;
    put_32(out, 0x04034b50);
    out += header + entry.name + packed;
  }
  const std::size_t begin = out.size();
  out += directory;
  put_32(out, 0x06054b50);
  put_32(out, 0);
  put_16(out, entries_.size());
  put_16(out, entries_.size());
  put_32(out, directory.size());
  put_32(out, begin);
  put_16(out, 0);
  return out;
}

}  // namespace attend
