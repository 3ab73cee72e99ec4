// Parses the header. JSON is processed event by event, so that a hostile file (nested a million
// deep, a number out of range) is rejected at the first wrong event without building anything.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::uint64_t kLongestHeader = 100'000'000;  // the limit of the format's own library
// The limit of NumPy; keeps hostile headers from filling memory with extents.
constexpr std::size_t kHighestRank = 64;
constexpr std::string_view kMetadataKey = "__metadata__";

struct TypeWidth {
  std::string_view name;
  unsigned bits;
};

// All element types of the format.
constexpr std::array kTypes = {
    TypeWidth{"BOOL", 8},    TypeWidth{"F4", 4},   TypeWidth{"F6_E2M3", 6}, TypeWidth{"F6_E3M2", 6},
    TypeWidth{"U8", 8},      TypeWidth{"I8", 8},   TypeWidth{"F8_E5M2", 8}, TypeWidth{"F8_E4M3", 8},
    TypeWidth{"F8_E8M0", 8}, TypeWidth{"I16", 16}, TypeWidth{"U16", 16},    TypeWidth{"F16", 16},
    TypeWidth{"BF16", 16},   TypeWidth{"I32", 32}, TypeWidth{"U32", 32},    TypeWidth{"F32", 32},
    TypeWidth{"C64", 64},    TypeWidth{"F64", 64}, TypeWidth{"I64", 64},    TypeWidth{"U64", 64},
};

unsigned bits_of(std::string_view dtype) {
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const TypeWidth& t) { return t.name == dtype; });
  return type == kTypes.end() ? 0 : type->bits;
}

// Product of the extents times `factor`; nullopt if the product of the nonzero extents exceeds 63
// bits.
std::optional<std::uint64_t> product(std::span<const std::int64_t> extents, std::uint64_t factor) {
  constexpr auto kLimit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  for (const std::int64_t extent : extents) {
    if (extent == 0) continue;
    if (factor > kLimit / static_cast<std::uint64_t>(extent)) return std::nullopt;
    factor *= static_cast<std::uint64_t>(extent);
  }
  return std::find(extents.begin(), extents.end(), 0) == extents.end() ? factor : 0;
}

// Receives the events of the JSON parser. A wrong event sets `problem` and stops the parser by
// returning false.
class HeaderReader {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  SafetensorsHeader header;
  std::string problem;

  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("a boolean"); }
  bool number_integer(number_integer_t value) {
    return unexpected(fmt::format("the number {}", value));
  }
  bool number_float(number_float_t, const string_t& text) {
    return unexpected(fmt::format("the number {}", quote(text)));
  }
  bool binary(binary_t&) { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) {
    if (state_ != State::in_list) return unexpected(fmt::format("the number {}", value));
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return stop(fmt::format("{} of {} is out of range: {}", key_, quote(entry_.name), value));
    if (list_.size() == kHighestRank)
      return stop(
          fmt::format("{} of {} has more than {} entries", key_, quote(entry_.name), kHighestRank));
    list_.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(string_t& value) {
    if (state_ == State::in_metadata) {
      if (!header.metadata.emplace(key_, std::move(value)).second)
        return stop(fmt::format("metadata key {} appears twice", quote(key_)));
      return true;
    }
    if (state_ != State::in_entry || key_ != "dtype") return unexpected("a string");
    entry_.dtype = std::move(value);
    return bits_of(entry_.dtype) > 0 || stop(fmt::format("tensor {} has the unknown type {}",
                                                         quote(entry_.name), quote(entry_.dtype)));
  }

  bool start_object(std::size_t) {
    if (state_ == State::start) {
      state_ = State::in_header;
      return true;
    }
    if (state_ != State::in_header) return unexpected("an object");
    state_ = key_ == kMetadataKey ? State::in_metadata : State::in_entry;
    entry_ = {};
    entry_.name = key_;
    seen_.clear();
    return true;
  }

  bool key(string_t& value) {
    key_ = std::move(value);
    if (state_ == State::in_entry) {
      if (key_ != "dtype" && key_ != "shape" && key_ != "data_offsets")
        return stop(
            fmt::format("tensor {} has the unknown key {}", quote(entry_.name), quote(key_)));
      if (!seen_.insert(key_).second)
        return stop(fmt::format("tensor {} has {} twice", quote(entry_.name), key_));
    } else if (state_ == State::in_header) {
      if (!names_.insert(key_).second)
        return stop(fmt::format("the name {} appears twice", quote(key_)));
    }
    return true;
  }

  bool end_object() {
    if (state_ == State::in_entry) {
      for (const char* const needed : {"dtype", "shape", "data_offsets"})
        if (!seen_.contains(needed))
          return stop(fmt::format("tensor {} has no {}", quote(entry_.name), needed));
      header.tensors.push_back(std::move(entry_));
    }
    state_ = state_ == State::in_header ? State::end : State::in_header;
    return true;
  }

  bool start_array(std::size_t) {
    if (state_ != State::in_entry || key_ == "dtype") return unexpected("a list");
    state_ = State::in_list;
    list_.clear();
    return true;
  }

  bool end_array() {
    state_ = State::in_entry;
    if (key_ == "shape") {
      entry_.shape = std::move(list_);
      return true;
    }
    if (list_.size() != 2)
      return stop(fmt::format("tensor {}: expected 2 data_offsets, got {}", quote(entry_.name),
                              list_.size()));
    entry_.begin = static_cast<std::uint64_t>(list_[0]);
    entry_.end = static_cast<std::uint64_t>(list_[1]);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    return stop(fmt::format("its header is not valid JSON at byte {} of the file",
                            kSafetensorsPrefix + (position > 0 ? position - 1 : 0)));
  }

 private:
  enum class State { start, in_header, in_metadata, in_entry, in_list, end };

  bool stop(std::string message) {
    problem = std::move(message);
    return false;
  }

  bool unexpected(std::string_view found) {
    switch (state_) {
      case State::start:
      case State::end:
        return stop(fmt::format("expected a JSON object as header, got {}", found));
      case State::in_header:
        return stop(fmt::format("expected an object for {}, got {}", quote(key_), found));
      case State::in_metadata:
        return stop(
            fmt::format("expected a string for metadata key {}, got {}", quote(key_), found));
      case State::in_list:
        return stop(fmt::format("{} of tensor {}: expected whole numbers >= 0, got {}", key_,
                                quote(entry_.name), found));
      case State::in_entry:
        break;
    }
    return stop(fmt::format("{} of tensor {}: expected {}, got {}", key_, quote(entry_.name),
                            key_ == "dtype" ? "a string" : "a list", found));
  }

  State state_ = State::start;
  std::string key_;
  TensorEntry entry_;
  std::vector<std::int64_t> list_;
  std::set<std::string> names_, seen_;
};

[[noreturn]] void refuse(std::string_view where, std::string_view why) {
  throw DataError(fmt::format("{}: damaged or not a safetensors file: {}", where, why));
}

// Guesses the format of a file that is not safetensors, for the message.
std::string_view guess_format(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              std::min<std::size_t>(file.size(), 64));
  const auto starts = [&](std::string_view magic) { return text.starts_with(magic); };
  if (starts("\x1f\x8b")) return "it looks like a gzip file; unpack it first";
  if (starts("PK\x03\x04"))
    return "it looks like a zip file, perhaps a PyTorch checkpoint (.pt); convert it to "
           "safetensors first";
  if (starts("\x80\x02") || starts("\x80\x03") || starts("\x80\x04") || starts("\x80\x05"))
    return "it looks like a Python pickle, perhaps a PyTorch checkpoint (.pt); convert it to "
           "safetensors first";
  if (starts("GGUF")) return "it looks like a GGUF file; attend import converts it";
  if (starts("\x89HDF")) return "it looks like an HDF5 file";
  if (starts("\x93NUMPY")) return "it looks like a NumPy array";
  if (starts("\x7f"
             "ELF"))
    return "it looks like a program";
  if (starts("version https://git-lfs"))
    return "it is a Git LFS pointer; fetch the file itself with `git lfs pull`";
  if (std::all_of(text.begin(), text.end(),
                  [](unsigned char c) { return c >= 0x20 || std::isspace(c) != 0; }))
    return "it looks like a text file";
  return "";
}

std::uint64_t header_length(std::span<const std::byte> file) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < std::min(kSafetensorsPrefix, file.size()); ++i)
    length |= std::to_integer<std::uint64_t>(file[i]) << (8 * i);
  return length;
}

std::string_view find_header(std::span<const std::byte> file, std::uint64_t file_bytes,
                             std::string_view where) {
  if (file.empty())
    throw DataError(fmt::format("{}: the file is empty, expected a safetensors file", where));
  const std::uint64_t length = header_length(file);
  const bool object_follows =
      file.size() > kSafetensorsPrefix && file[kSafetensorsPrefix] == std::byte{'{'};
  if (!object_follows) {
    const std::string_view guess = guess_format(file);
    if (!guess.empty())
      throw DataError(fmt::format("{}: not a safetensors file: {}", where, guess));
    if (file.size() <= kSafetensorsPrefix)
      refuse(where, fmt::format("it has {} bytes and no header; truncated?", file.size()));
  }
  if (length > kLongestHeader)
    refuse(where,
           fmt::format("it claims a header of {} bytes, more than {}", length, kLongestHeader));
  if (length > file_bytes - kSafetensorsPrefix)
    refuse(where, fmt::format("it claims a header of {} bytes, but has {} bytes in all; truncated?",
                              length, file_bytes));
  if (length > file.size() - kSafetensorsPrefix)
    refuse(where, "its header became longer while it was read");
  if (length < 2 || !object_follows) refuse(where, "its header does not begin with '{'");
  return {reinterpret_cast<const char*>(file.data()) + kSafetensorsPrefix,
          static_cast<std::size_t>(length)};
}

void check_size(const TensorEntry& entry, std::string_view where) {
  const auto bits = product(entry.shape, bits_of(entry.dtype));
  if (!bits) refuse(where, fmt::format("the shape of tensor {} is too large", quote(entry.name)));
  if (*bits % 8 != 0)
    refuse(where, fmt::format("tensor {} does not fill whole bytes", quote(entry.name)));
  if (entry.begin > entry.end || entry.bytes() != *bits / 8) {
    refuse(where, fmt::format("tensor {}: expected {} bytes for {} [{}], got data_offsets {}..{}",
                              quote(entry.name), *bits / 8, entry.dtype,
                              fmt::join(entry.shape, ", "), entry.begin, entry.end));
  }
}

// The data must cover 0 to `size` without gaps and overlaps.
void check_layout(std::span<const TensorEntry> entries, std::uint64_t size,
                  std::string_view where) {
  std::vector<const TensorEntry*> order;
  for (const TensorEntry& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::uint64_t position = 0;
  for (const TensorEntry* entry : order) {
    if (entry->begin != position) {
      refuse(where,
             fmt::format("tensor {} begins at byte {} of the data, expected {} ({})",
                         quote(entry->name), entry->begin, position,
                         entry->begin < position ? "it overlaps another one" : "there is a hole"));
    }
    if (entry->end > size)
      refuse(where,
             fmt::format("tensor {} ends at byte {} of the data, but there are {}; truncated?",
                         quote(entry->name), entry->end, size));
    position = entry->end;
  }
  if (position != size)
    refuse(where, fmt::format("{} bytes follow the last tensor", size - position));
}

}  // namespace

std::uint64_t TensorEntry::elements() const { return product(shape, 1).value_or(0); }

const TensorEntry* SafetensorsHeader::find(std::string_view name) const {
  const auto entry = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const TensorEntry& t) { return t.name == name; });
  return entry == tensors.end() ? nullptr : &*entry;
}

SafetensorsHeader parse_safetensors(std::span<const std::byte> begin, std::uint64_t file_bytes,
                                    std::string_view where) {
  const std::string_view text = find_header(begin, file_bytes, where);
  // The JSON parser takes a zero byte for the end of its input and would ignore the rest.
  if (const auto zero = text.find('\0'); zero != text.npos)
    refuse(where, fmt::format("its header has a zero byte at byte {} of the file",
                              kSafetensorsPrefix + zero));
  HeaderReader reader;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) refuse(where, reader.problem);
  SafetensorsHeader& header = reader.header;
  for (const TensorEntry& entry : header.tensors) check_size(entry, where);
  const std::uint64_t data_begin = kSafetensorsPrefix + text.size();
  check_layout(header.tensors, file_bytes - data_begin, where);
  for (TensorEntry& entry : header.tensors) {
    entry.begin += data_begin;
    entry.end += data_begin;
  }
  return std::move(header);
}

SafetensorsHeader read_safetensors_header(const InputFile& file) {
  constexpr std::uint64_t kToTellFormatsApart = 64;
  std::vector<std::byte> begin(
      static_cast<std::size_t>(std::min(file.size(), kToTellFormatsApart)));
  file.read(0, begin);
  const std::uint64_t length = header_length(begin);
  if (length <= kLongestHeader && length + kSafetensorsPrefix <= file.size() &&
      length + kSafetensorsPrefix > begin.size()) {
    begin.resize(static_cast<std::size_t>(length) + kSafetensorsPrefix);
    file.read(0, begin);
  }
  return parse_safetensors(begin, file.size(), file.path());
}

}  // namespace attend
