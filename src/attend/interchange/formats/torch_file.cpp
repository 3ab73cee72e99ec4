#include "attend/interchange/formats/torch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "attend/core/files/byte_reader.h"
#include "attend/core/files/packed/zip_archive.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/formats/pickle.h"
#include "attend/interchange/formats/torch_state.h"

namespace attend {

namespace {

constexpr std::uint64_t kLargestPickle = std::uint64_t{16} << 20;
constexpr std::string_view kLegacyMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kLegacyProtocol = 1001;

[[noreturn]] void refuse_checkpoint(const InputFile& file, std::string_view why) {
  throw DataError(fmt::format("{}: {}", file.path(), why));
}

// Checks that the file holds all elements of a storage, before any size is multiplied.
void check_storage(const InputFile& file, const TorchStorage& storage, std::uint64_t bytes) {
  const std::size_t width = size_of(storage.type);
  if (storage.elements != bytes / width || bytes % width != 0)
    refuse_checkpoint(
        file, fmt::format("storage {}: expected {} elements {}, found {} bytes", quote(storage.key),
                          storage.elements, name_of(storage.type), bytes));
}

// "R/" of the one entry "R/data.pkl".
std::string archive_root(const ZipArchive& archive, const InputFile& file) {
  constexpr std::string_view kPickleName = "/data.pkl";
  std::string root;
  for (const ZipEntry& entry : archive.entries()) {
    const std::string_view name = entry.name;
    if (!name.ends_with(kPickleName) || name.find('/') != name.size() - kPickleName.size())
      continue;
    if (!root.empty()) refuse_checkpoint(file, "expected one data.pkl in the zip file, found two");
    root = name.substr(0, name.size() - kPickleName.size() + 1);
  }
  if (root.empty())
    refuse_checkpoint(file, "expected a PyTorch checkpoint, found a zip file without data.pkl");
  if (archive.find(root + "constants.pkl") != nullptr)
    refuse_checkpoint(file, "expected a dictionary of tensors, found a TorchScript program");
  return root;
}

void check_byte_order(const ZipArchive& archive, const std::string& root, const InputFile& file) {
  const ZipEntry* const entry = archive.find(root + "byteorder");
  if (entry == nullptr) return;  // it has been there since PyTorch 2.1
  const auto bytes = archive.read(*entry, 16);
  const std::string_view order(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (order != "little")
    refuse_checkpoint(
        file, fmt::format("expected elements in the byte order 'little', found {}", quote(order)));
}

// The pickles at the beginning of an old file.
class LegacyReader {
 public:
  LegacyReader(const InputFile& file, std::span<const std::byte> bytes, OtherFunctions others)
      : file_(file), bytes_(bytes), others_(others) {}

  Pickle content() {
    check_preamble();
    return next();
  }

  // Where in the file each storage of `content` begins. Called after content().
  std::map<std::string, std::uint64_t> storages(const Pickle& content) {
    std::map<std::string, TorchStorage> known;
    for (const TorchStorage& storage : torch_storages(content)) {
      const TorchStorage& first = known.emplace(storage.key, storage).first->second;
      if (first.type != storage.type || first.elements != storage.elements)
        refuse_checkpoint(
            file_, fmt::format("two descriptions of its storage {} differ", quote(storage.key)));
    }
    std::map<std::string, std::uint64_t> begins;
    const Pickle keys = next();
    if (keys.root().kind != PickleKind::list)
      refuse_checkpoint(
          file_, fmt::format("expected a list of storages, found {}", name_of(keys.root().kind)));
    for (const PickleRef key : keys.root().items) {
      const auto found = known.find(std::string(keys[key].text));
      if (found == known.end())
        refuse_checkpoint(file_,
                          fmt::format("storage {} belongs to no tensor", quote(keys[key].text)));
      if (!begins.emplace(found->first, take_storage(found->second)).second)
        refuse_checkpoint(file_, fmt::format("storage {} appears twice", quote(found->first)));
    }
    if (position_ != file_.size())
      refuse_checkpoint(file_,
                        fmt::format("{} bytes follow its last storage", file_.size() - position_));
    for (const auto& [key, storage] : known)
      if (!begins.contains(key))
        refuse_checkpoint(file_, fmt::format("storage {} is not in the file", quote(key)));
    return begins;
  }

 private:
  Pickle next() {
    Pickle pickle(bytes_.subspan(static_cast<std::size_t>(position_)), torch_functions(),
                  file_.path(), others_);
    position_ += pickle.size();
    return pickle;
  }

  void check_preamble() {
    const Pickle magic = next();
    if (magic.root().text != kLegacyMagic)
      refuse_checkpoint(file_, "expected a PyTorch checkpoint, found another pickle");
    const Pickle protocol = next();
    if (protocol.root().integer != kLegacyProtocol)
      refuse_checkpoint(file_, fmt::format("expected version {} of the format, found {}",
                                           kLegacyProtocol, protocol.root().integer));
    const Pickle machine = next();
    if (machine.root().kind != PickleKind::dictionary)
      refuse_checkpoint(file_, fmt::format("expected facts about the machine, found {}",
                                           name_of(machine.root().kind)));
    const std::vector<PickleRef>& facts = machine.root().items;
    for (std::size_t i = 0; i < facts.size(); i += 2)
      if (machine[facts[i]].text == "little_endian" && machine[facts[i + 1]].integer != 1)
        refuse_checkpoint(file_, "expected little-endian elements, found big-endian ones");
  }

  // Steps over a storage; returns where its elements begin.
  std::uint64_t take_storage(const TorchStorage& storage) {
    const auto count_bytes = read_range(file_, position_, sizeof(std::uint64_t), "a storage");
    const auto count = ByteReader(count_bytes, file_.path()).number<std::uint64_t>();
    const std::uint64_t begin = position_ + sizeof count, width = size_of(storage.type);
    if (count != storage.elements || count > (file_.size() - begin) / width)
      refuse_checkpoint(file_, fmt::format("storage {}: expected {} elements {}, found a count of "
                                           "{} and {} bytes; truncated?",
                                           quote(storage.key), storage.elements,
                                           name_of(storage.type), count, file_.size() - begin));
    position_ = begin + count * width;
    return begin;
  }

  const InputFile& file_;
  std::span<const std::byte> bytes_;
  OtherFunctions others_;
  std::uint64_t position_ = 0;
};

}  // namespace

TorchFile::TorchFile(std::shared_ptr<const InputFile> file, OtherFunctions others)
    : file_(std::move(file)), others_(others) {
  constexpr std::uint64_t kPlaceOfTar = 257;
  const auto begin = read_range(*file_, 0, std::min<std::uint64_t>(file_->size(), kPlaceOfTar + 5),
                                "a checkpoint");
  const std::string_view magic(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (magic.starts_with("PK")) {
    open_zip();
  } else if (magic.starts_with("\x80\x02")) {
    open_legacy();
  } else if (magic.size() > kPlaceOfTar && magic.substr(kPlaceOfTar) == "ustar") {
    refuse_checkpoint(*file_,
                      "it is a tar archive, as PyTorch wrote before version 0.1.10; load it and "
                      "save it again with a newer PyTorch");
  } else {
    refuse_checkpoint(*file_,
                      "expected a PyTorch checkpoint, a zip file or a pickle of protocol 2, "
                      "found something else");
  }
}

void TorchFile::open_zip() {
  archive_ = std::make_shared<const ZipArchive>(file_);
  root_ = archive_root(*archive_, *file_);
  check_byte_order(*archive_, root_, *file_);
  bytes_ = archive_->read(*archive_->find(root_ + "data.pkl"), kLargestPickle);
  pickle_.emplace(bytes_, torch_functions(), file_->path(), others_);
}

void TorchFile::open_legacy() {
  bytes_ = read_range(*file_, 0, std::min(file_->size(), kLargestPickle), "its pickles");
  LegacyReader reader(*file_, bytes_, others_);
  pickle_.emplace(reader.content());
  begins_ = reader.storages(*pickle_);
}

void TorchFile::add_tensors(const PickleValue& dictionary, const std::string& prefix,
                            TensorTable& table) const {
  for (TorchTensor& tensor : torch_tensors(*pickle_, dictionary)) {
    tensor.name.insert(0, prefix);
    ReadStorage read;
    if (archive_ != nullptr) {
      const ZipEntry* const entry = archive_->find(root_ + "data/" + tensor.storage.key);
      if (entry == nullptr)
        refuse_checkpoint(*file_, fmt::format("tensor {}: its storage {} is not in the zip file",
                                              quote(tensor.name), quote(tensor.storage.key)));
      check_storage(*file_, tensor.storage, entry->size);
      read = [archive = archive_, entry](std::uint64_t begin, std::span<std::byte> to) {
        archive->read(*entry, begin, to);
      };
    } else {
      read = [file = file_, base = begins_.at(tensor.storage.key)](
                 std::uint64_t begin, std::span<std::byte> to) { file->read(base + begin, to); };
    }
    table.add(to_foreign(tensor, file_->path(), std::move(read)));
  }
}

TensorTable read_torch_file(std::shared_ptr<const InputFile> file) {
  TensorTable table(file->path());
  const TorchFile content(std::move(file), OtherFunctions::refused);
  content.add_tensors(content.pickle().root(), "", table);
  return table;
}

}  // namespace attend
