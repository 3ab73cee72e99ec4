#include "attend/server/office_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <memory>

#include "attend/error.h"
#include "attend/interchange/formats/zip_archive.h"
#include "attend/server/http/message.h"

namespace attend {
namespace {

// Bytes of one part, unpacked: a novel has a tenth of it.
constexpr std::uint64_t kLargestPart = 32 << 20;

// Bytes as a file in memory, which the reader of archives can read at any place.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("upload", MFD_CLOEXEC)) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count <= 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    if (!bytes.empty()) {
      ::close(descriptor_);
      throw HttpError{503, "out of memory for the file", 1};
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::shared_ptr<const InputFile> open() const {
    return std::make_shared<const InputFile>(fmt::format("/proc/self/fd/{}", descriptor_));
  }

 private:
  int descriptor_;
};

bool is_word_text(std::string_view name) {
  if (!name.starts_with("word/") || !name.ends_with(".xml")) return false;
  name.remove_prefix(5);
  for (const std::string_view part : {"document", "header", "footer", "footnotes", "endnotes"})
    if (name.starts_with(part)) return true;
  return false;
}

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
    throw HttpError{503, "out of memory for the file", 1};
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

}  // namespace

OfficeFile::OfficeFile(std::string bytes, std::string_view name) {
  const bool is_word = name.ends_with(".docx");
  try {
    const MemoryFile file(bytes);
    const ZipArchive archive(file.open());
    std::uint64_t unpacked = 0, packed = 0;
    for (const ZipEntry& entry : archive.entries()) {
      packed += entry.packed_size;
      if (packed > bytes.size()) throw HttpError{400, "file: its parts lie on top of one another"};
      Entry own{.name = entry.name,
                .packed = bytes.substr(entry.begin, entry.packed_size),
                .checksum = entry.checksum,
                .size = entry.size,
                .deflated = entry.deflated};
      if (is_word ? is_word_text(entry.name) : entry.name == "content.xml") {
        unpacked += entry.size;
        if (unpacked > kLargestPart)
          throw HttpError{413,
                          fmt::format("file: its texts are larger than {} bytes", kLargestPart)};
        const std::vector<std::byte> content = archive.read(entry, kLargestPart);
        const std::string_view xml(reinterpret_cast<const char*>(content.data()), content.size());
        own.part = static_cast<int>(documents_.size());
        documents_.push_back(is_word ? MarkupDocument::word(xml)
                                     : MarkupDocument::open_document(xml));
      }
      entries_.push_back(std::move(own));
    }
  } catch (const Error& error) {
    // Without the place in memory.
    std::string_view why = error.what();
    if (why.starts_with("/proc/")) why.remove_prefix(why.find(": ") + 2);
    throw HttpError{400, fmt::format("file: expected a .docx or .odt file: {}", why)};
  }
  if (documents_.empty()) throw HttpError{400, "file: there is no text in it"};
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
