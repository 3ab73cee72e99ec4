#include <fmt/format.h>
#include <zstd.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "attend/core/files/packed/unpacking.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)),
        name_(std::move(name)),
        buffer_(ZSTD_DStreamInSize()),
        stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    in_.src = buffer_.data();
  }

  std::size_t read(char* to, std::size_t capacity) override {
    ZSTD_outBuffer out{to, capacity, 0};
    while (out.pos == 0) {
      // What the decoder has taken in but not yet given out needs no more input.
      if (in_.pos == in_.size && !has_more_output_ && !refill()) return 0;
      const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(result) != 0)
        throw DataError(fmt::format("{}: damaged zstd data ({}); create the file again", name_,
                                    ZSTD_getErrorName(result)));
      between_frames_ = result == 0;
      has_more_output_ = !between_frames_ && out.pos == out.size;
    }
    return out.pos;
  }
  bool has_arrived() override {
    return in_.pos < in_.size || has_more_output_ || packed_->has_arrived();
  }

 private:
  struct Freeing {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool refill() {
    const std::size_t count = packed_->read(buffer_.data(), buffer_.size());
    if (count == 0 && !between_frames_)
      throw DataError(fmt::format(
          "{}: the zstd data end too early: the file is truncated; create or fetch it again",
          name_));
    in_.size = count;
    in_.pos = 0;
    return count > 0;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::vector<char> buffer_;
  ZSTD_inBuffer in_{};
  std::unique_ptr<ZSTD_DStream, Freeing> stream_;
  bool between_frames_ = false;
  bool has_more_output_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> unpack_zstd(std::unique_ptr<ByteSource> packed,
                                        const std::string& name) {
  return std::make_unique<ZstdSource>(std::move(packed), name);
}

}  // namespace attend::detail
