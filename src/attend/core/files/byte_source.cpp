#include "attend/core/files/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string_view>
#include <utility>

#include "attend/core/files/descriptor.h"
#include "attend/core/files/packed/unpacking.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

// Reads a descriptor, without closing it.
class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t capacity) override {
    if (ended_) return 0;  // a terminal would start over
    const std::size_t count = read_some(descriptor_, to, capacity, name_);
    ended_ = count == 0;
    return count;
  }
  bool has_arrived() override { return ended_ || can_be_read(descriptor_); }

 private:
  int descriptor_;
  std::string name_;
  bool ended_ = false;
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : file_(open(path)), source_(file_.number, path) {
    struct stat status {};
    if (fstat(file_.number, &status) == 0 && S_ISDIR(status.st_mode)) {
      throw IoError(fmt::format("{} is a directory, expected a text file", path));
    }
  }

  std::size_t read(char* to, std::size_t capacity) override { return source_.read(to, capacity); }
  bool has_arrived() override { return source_.has_arrived(); }

 private:
  struct OpenFile {
    int number;
    explicit OpenFile(int opened) : number(opened) {}
    ~OpenFile() { ::close(number); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
  };

  static int open(const std::string& path) {
    for (;;) {
      const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      if (file >= 0) return file;
      if (errno != EINTR)
        throw IoError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    }
  }

  OpenFile file_;
  DescriptorSource source_;
};

class StreamSource final : public ByteSource {
 public:
  StreamSource(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {}

  // Takes available bytes and never waits for more than the rest of a line.
  std::size_t read(char* to, std::size_t capacity) override {
    const std::size_t count = read_buffer(to, capacity);
    // A stream buffer cannot tell an error from the end; the C stream behind std::cin can.
    const bool failed =
        stream_.bad() || (count == 0 && &stream_ == &std::cin && std::ferror(stdin) != 0);
    if (failed) throw IoError(fmt::format("cannot read {}", name_));
    return count;
  }

 private:
  std::size_t read_buffer(char* to, std::size_t capacity) {
    try {
      return take(*stream_.rdbuf(), to, capacity);
    } catch (const std::ios_base::failure& failure) {  // thrown by file buffers
      throw IoError(fmt::format("cannot read {}: {}", name_, failure.what()));
    }
  }

  static std::size_t take(std::streambuf& in, char* to, std::size_t capacity) {
    std::size_t count = 0;
    while (count < capacity) {
      const int byte = in.sbumpc();
      if (byte == std::char_traits<char>::eof()) break;
      to[count++] = static_cast<char>(byte);
      const std::streamsize arrived = in.in_avail();
      if (arrived > 0)
        count += static_cast<std::size_t>(
            in.sgetn(to + count, std::min<std::streamsize>(arrived, capacity - count)));
      if (to[count - 1] == '\n') break;
    }
    return count;
  }

  std::istream& stream_;
  std::string name_;
};

// First returns the bytes that were read to detect the format.
class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(char* to, std::size_t capacity) override {
    if (used_ == prefix_.size()) return rest_->read(to, capacity);
    const std::size_t count = std::min(capacity, prefix_.size() - used_);
    std::memcpy(to, prefix_.data() + used_, count);
    used_ += count;
    return count;
  }
  bool has_arrived() override { return used_ < prefix_.size() || rest_->has_arrived(); }

 private:
  std::string prefix_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

struct Packing {
  std::string_view magic;  // the first bytes of packed data
  std::unique_ptr<ByteSource> (*unpack)(std::unique_ptr<ByteSource> packed,
                                        const std::string& name);
};
constexpr std::array<Packing, 2> kPackings{
    {{"\x1f\x8b", unpack_gzip}, {"\x28\xb5\x2f\xfd", unpack_zstd}}};

// Detects packed data at the first read.
class DetectingSource final : public ByteSource {
 public:
  DetectingSource(std::unique_ptr<ByteSource> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t capacity) override {
    if (!known_) detect();
    return source_->read(to, capacity);
  }
  bool has_arrived() override { return source_->has_arrived(); }

 private:
  // Reads no further than the bytes are those of a magic number: a line of text is not kept
  // waiting.
  void detect() {
    std::string begin;
    const auto may_be = [&begin](const Packing& p) { return p.magic.starts_with(begin); };
    const auto is = [&begin](const Packing& p) { return p.magic == begin; };
    while (std::any_of(kPackings.begin(), kPackings.end(), may_be) &&
           std::none_of(kPackings.begin(), kPackings.end(), is)) {
      char byte = 0;
      if (source_->read(&byte, 1) == 0) break;
      begin += byte;
    }
    source_ = std::make_unique<PrefixedSource>(begin, std::move(source_));
    const auto found = std::find_if(kPackings.begin(), kPackings.end(), is);
    if (found != kPackings.end()) source_ = found->unpack(std::move(source_), name_);
    known_ = true;
  }

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  bool known_ = false;
};

}  // namespace

bool is_packed(std::string_view begin) {
  return std::any_of(kPackings.begin(), kPackings.end(),
                     [begin](const Packing& p) { return begin.starts_with(p.magic); });
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  return std::make_unique<DetectingSource>(std::make_unique<FileSource>(path), path);
}

std::unique_ptr<ByteSource> open_bytes(int descriptor, const std::string& name) {
  return std::make_unique<DetectingSource>(std::make_unique<DescriptorSource>(descriptor, name),
                                           name);
}

std::unique_ptr<ByteSource> open_bytes(std::istream& stream, const std::string& name) {
  return std::make_unique<DetectingSource>(std::make_unique<StreamSource>(stream, name), name);
}

std::unique_ptr<ByteSource> open_bytes(std::unique_ptr<ByteSource> source,
                                       const std::string& name) {
  return std::make_unique<DetectingSource>(std::move(source), name);
}

}  // namespace attend::detail
