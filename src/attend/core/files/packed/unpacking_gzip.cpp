#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "attend/core/files/packed/unpacking.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), buffer_(kBufferBytes) {
    constexpr int kGzipFormat = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipFormat) != Z_OK)
      throw IoError(fmt::format("cannot read {}: zlib did not start", name_));
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(char* to, std::size_t capacity) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min(capacity, std::size_t{1} << 30));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0 && !refill()) return 0;
      if (between_members_) {
        inflateReset(&stream_);
        between_members_ = false;
      }
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        between_members_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        throw DataError(fmt::format("{}: damaged gzip data ({}); create the file again", name_,
                                    stream_.msg ? stream_.msg : "unknown reason"));
      }
    }
    return wanted - stream_.avail_out;
  }
  bool has_arrived() override { return stream_.avail_in > 0 || packed_->has_arrived(); }

 private:
  bool refill() {
    const std::size_t count = packed_->read(buffer_.data(), buffer_.size());
    if (count == 0 && !between_members_) {
      throw DataError(fmt::format(
          "{}: the gzip data end too early: the file is truncated; create or fetch it again",
          name_));
    }
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::vector<char> buffer_;
  z_stream stream_{};
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed,
                                        const std::string& name) {
  return std::make_unique<GzipSource>(std::move(packed), name);
}

}  // namespace attend::detail
