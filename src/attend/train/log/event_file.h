// Writes TensorBoard event files without TensorFlow or protobuf.
//
// A file is a sequence of TFRecords (all little-endian),
//
//   uint64 length | uint32 masked_crc32c(length) | length bytes | uint32 masked_crc32c(bytes)
//
// each with one protocol buffer
//
//   Event { double wall_time = 1; int64 step = 2; string file_version = 3;
//           Summary summary = 5; SessionLog session_log = 7 }
//   Summary { repeated Value { string tag = 1; float simple_value = 2 } value = 1 }
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace attend {

// CRC-32C (Castagnoli; RFC 3720, appendix B.4).
std::uint32_t crc32c(std::string_view bytes);
// As stored in TFRecords, so that the CRC of data that contains CRCs stays useful: rotated by 15
// bits, plus a constant.
std::uint32_t masked_crc32c(std::string_view bytes);

using Scalar = std::pair<std::string, float>;  // tag, value

// The bytes of Events with their frames. Times are seconds since 1970.
std::string encode_version_event(double wall_time);
// Makes TensorBoard drop the points of earlier files in the folder from this step on, so that a
// resumed run replaces them.
std::string encode_session_start_event(double wall_time, std::int64_t step);
std::string encode_scalars_event(double wall_time, std::int64_t step,
                                 std::span<const Scalar> scalars);
std::string frame_record(std::string_view event);

class EventFile {
 public:
  // A new file in `folder`, named so that TensorBoard reads it after older ones. Throws IoError.
  EventFile(const std::filesystem::path& folder, double wall_time);

  // Appends and flushes. Throws IoError.
  void write(std::string_view event);
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace attend
