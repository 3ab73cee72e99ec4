#include "attend/cli/line_count.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "attend/core/files/lines.h"

namespace attend {

std::int64_t count_lines(int descriptor) {
  constexpr off_t kLargest = off_t{1} << 30;
  struct stat file {};
  off_t at = lseek(descriptor, 0, SEEK_CUR);
  if (at < 0 || fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size > kLargest)
    return 0;
  std::vector<char> block(std::size_t{1} << 20);
  std::int64_t lines = 0;
  char last = '\n';
  for (ssize_t n; (n = pread(descriptor, block.data(), block.size(), at)) > 0; at += n) {
    const std::string_view begin(block.data(), static_cast<std::size_t>(n));
    if (lines == 0 && is_packed(begin)) return 0;
    lines += std::count(block.begin(), block.begin() + n, '\n');
    last = block[static_cast<std::size_t>(n) - 1];
  }
  return last == '\n' ? lines : lines + 1;
}

std::int64_t count_lines(const std::string& path) {
  if (path == "-") return count_lines(STDIN_FILENO);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return 0;
  const std::int64_t lines = count_lines(descriptor);
  close(descriptor);
  return lines;
}

}  // namespace attend
