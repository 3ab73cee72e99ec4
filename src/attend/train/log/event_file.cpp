#include "attend/train/log/event_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "attend/error.h"

namespace attend {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0u);
    table[i] = crc;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kCrcTable = crc_table();

template <class Unsigned>
void append_little_endian(std::string& bytes, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(value); ++i)
    bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
}

// Protocol buffers: a field is a key (number << 3 | wire type) and a value.
void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  bytes += static_cast<char>(value);
}
void append_varint_field(std::string& bytes, unsigned number, std::uint64_t value) {
  append_varint(bytes, number << 3);
  append_varint(bytes, value);
}
void append_double_field(std::string& bytes, unsigned number, double value) {
  append_varint(bytes, number << 3 | 1);
  append_little_endian(bytes, std::bit_cast<std::uint64_t>(value));
}
void append_bytes_field(std::string& bytes, unsigned number, std::string_view value) {
  append_varint(bytes, number << 3 | 2);
  append_varint(bytes, value.size());
  bytes += value;
}
void append_float_field(std::string& bytes, unsigned number, float value) {
  append_varint(bytes, number << 3 | 5);
  append_little_endian(bytes, std::bit_cast<std::uint32_t>(value));
}

std::string event_head(double wall_time, std::int64_t step) {
  std::string event;
  append_double_field(event, 1, wall_time);
  if (step != 0) append_varint_field(event, 2, static_cast<std::uint64_t>(step));
  return event;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes)
    crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

std::string encode_version_event(double wall_time) {
  std::string event = event_head(wall_time, 0);
  append_bytes_field(event, 3, "brain.Event:2");
  return event;
}

std::string encode_session_start_event(double wall_time, std::int64_t step) {
  std::string session;
  append_varint_field(session, 1, 1);  // status = START
  std::string event = event_head(wall_time, step);
  append_bytes_field(event, 7, session);
  return event;
}

std::string encode_scalars_event(double wall_time, std::int64_t step,
                                 std::span<const Scalar> scalars) {
  std::string summary;
  for (const auto& [tag, number] : scalars) {
    std::string value;
    append_bytes_field(value, 1, tag);
    append_float_field(value, 2, number);
    append_bytes_field(summary, 1, value);
  }
  std::string event = event_head(wall_time, step);
  append_bytes_field(event, 5, summary);
  return event;
}

std::string frame_record(std::string_view event) {
  std::string record;
  append_little_endian(record, static_cast<std::uint64_t>(event.size()));
  append_little_endian(record, masked_crc32c(record));
  record += event;
  append_little_endian(record, masked_crc32c(event));
  return record;
}

EventFile::EventFile(const std::filesystem::path& folder, double wall_time) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw IoError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  // TensorBoard reads a folder's files in name order. Two runs started within one second get
  // different names.
  for (int count = 0; !file_; ++count) {
    path_ = folder / fmt::format("events.out.tfevents.{:010}.{:03}.attend",
                                 static_cast<std::int64_t>(wall_time), count);
    file_.reset(std::fopen(path_.c_str(), "wbx"));
    if (!file_ && (errno != EEXIST || count == 999))
      throw IoError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  }
}

void EventFile::write(std::string_view event) {
  const std::string record = frame_record(event);
  if (std::fwrite(record.data(), 1, record.size(), file_.get()) != record.size() ||
      std::fflush(file_.get()) != 0) {
    throw IoError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  }
}

}  // namespace attend
