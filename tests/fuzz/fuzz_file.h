// A file with the input in it, for readers that take a path. In memory where the system has files
// there.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace attend {

class FuzzFile {
 public:
  FuzzFile() : descriptor_(::memfd_create("fuzz", 0)) {
    if (descriptor_ < 0) throw std::runtime_error("no file in memory");
  }
  ~FuzzFile() { ::close(descriptor_); }
  FuzzFile(const FuzzFile&) = delete;
  FuzzFile& operator=(const FuzzFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  void write(std::string_view bytes) const {
    if (::ftruncate(descriptor_, 0) != 0)
      throw std::runtime_error("a file in memory cannot be emptied");
    if (::pwrite(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("a file in memory cannot be written");
  }

 private:
  int descriptor_;
};

}  // namespace attend
