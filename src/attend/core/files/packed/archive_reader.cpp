#include "attend/core/files/packed/archive_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "attend/core/files/byte_source.h"
#include "attend/core/files/input_file.h"
#include "attend/core/files/packed/tar_reader.h"
#include "attend/core/files/packed/zip_archive.h"
#include "attend/core/strings/quote.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {
namespace {

class ZipEntries final : public ArchiveReader::Entries {
 public:
  explicit ZipEntries(std::shared_ptr<const InputFile> file) : archive_(std::move(file)) {}

  bool next() override {
    while (at_ < archive_.entries().size()) {
      entry_ = &archive_.entries()[at_++];
      if (entry_->name.ends_with('/')) continue;
      content_ = archive_.open(*entry_);
      return true;
    }
    return false;
  }
  const std::string& name() const override { return entry_->name; }
  std::size_t read(char* to, std::size_t capacity) override { return content_->read(to, capacity); }

 private:
  ZipArchive archive_;
  std::size_t at_ = 0;
  const ZipEntry* entry_ = nullptr;
  std::unique_ptr<detail::ByteSource> content_;
};

class TarEntries final : public ArchiveReader::Entries {
 public:
  TarEntries(std::unique_ptr<detail::ByteSource> source, const std::string& path)
      : reader_(std::move(source), path) {}

  bool next() override { return reader_.next(); }
  const std::string& name() const override { return reader_.name(); }
  std::size_t read(char* to, std::size_t capacity) override { return reader_.read(to, capacity); }

 private:
  detail::TarReader reader_;
};

class SingleEntry final : public ArchiveReader::Entries {
 public:
  SingleEntry(std::unique_ptr<detail::ByteSource> source, const std::string& path)
      : name_(unpacked_name(std::filesystem::path(path).filename().string())),
        source_(std::move(source)) {}

  bool next() override { return !std::exchange(begun_, true); }
  const std::string& name() const override { return name_; }
  std::size_t read(char* to, std::size_t capacity) override { return source_->read(to, capacity); }

 private:
  std::string name_;
  std::unique_ptr<detail::ByteSource> source_;
  bool begun_ = false;
};

bool is_zip(const InputFile& file) {
  std::string begin(std::min<std::uint64_t>(file.size(), 4), '\0');
  file.read(0, std::as_writable_bytes(std::span(begin)));
  return begin == "PK\3\4" || begin == "PK\5\6";
}

std::string first_bytes(detail::ByteSource& source, std::size_t count) {
  std::string begin(count, '\0');
  std::size_t filled = 0;
  while (filled < count) {
    const std::size_t more = source.read(begin.data() + filled, count - filled);
    if (more == 0) break;
    filled += more;
  }
  begin.resize(filled);
  return begin;
}

std::unique_ptr<ArchiveReader::Entries> entries_of(const std::string& path) {
  auto file = std::make_shared<const InputFile>(path);
  if (is_zip(*file)) return std::make_unique<ZipEntries>(std::move(file));
  const bool is_archive =
      detail::is_tar(first_bytes(*detail::open_bytes(path), detail::kTarHeaderBytes));
  auto source = detail::open_bytes(path);
  if (is_archive) return std::make_unique<TarEntries>(std::move(source), path);
  return std::make_unique<SingleEntry>(std::move(source), path);
}

// What is left of a name without "./" before it.
std::string safe_name(std::string_view name, const std::string& path) {
  while (name.starts_with("./")) name.remove_prefix(2);
  bool leads_out = name.empty() || name.starts_with('/');
  for (std::string_view rest = name; !rest.empty() && !leads_out;) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    leads_out = rest.substr(0, end) == "..";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (leads_out)
    throw DataError(
        fmt::format("{}: expected files within a folder, found the name {}", path, quote(name)));
  return std::string(name);
}

class EntrySource final : public detail::ByteSource {
 public:
  explicit EntrySource(ArchiveReader& archive) : archive_(archive) {}
  std::size_t read(char* to, std::size_t capacity) override { return archive_.read(to, capacity); }

 private:
  ArchiveReader& archive_;
};

}  // namespace

ArchiveReader::ArchiveReader(const std::string& path) : path_(path), entries_(entries_of(path)) {}
ArchiveReader::~ArchiveReader() = default;

bool ArchiveReader::next() {
  look_for_interruption();
  if (!entries_->next()) return false;
  name_ = safe_name(entries_->name(), path_);
  return true;
}

std::string ArchiveReader::where() const {
  const std::string file = std::filesystem::path(path_).filename().string();
  return unpacked_name(file) == name_ ? path_ : fmt::format("{}: {}", path_, printable(name_));
}

std::size_t ArchiveReader::read(char* to, std::size_t capacity) {
  return entries_->read(to, capacity);
}

LineReader ArchiveReader::lines() {
  return {detail::open_bytes(std::make_unique<EntrySource>(*this), where()), where()};
}

}  // namespace attend
