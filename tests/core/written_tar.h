// TAR archives with any content, also such as nobody honest would write.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace attend {

struct WrittenTarEntry {
  std::string name = {}, bytes = {};
  char type = '0';
  std::string link = {};
  std::string prefix = {};      // a folder that is apart from the name (ustar)
  std::string size_field = {};  // empty: the real size, in octal digits
  int checksum_error = 0;
  bool old_format = false;  // without the magic of POSIX
};

inline std::string tar_header(const WrittenTarEntry& entry) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, entry.name.substr(0, 100));
  put(100, "0000644");
  put(124,
      entry.size_field.empty() ? fmt::format("{:011o}", entry.bytes.size()) : entry.size_field);
  put(136, "14000000000");
  header[156] = entry.type;
  put(157, entry.link);
  if (!entry.old_format)
    put(257, std::string("ustar\0"
                         "00",
                         8));
  put(345, entry.prefix);
  put(148, "        ");
  int sum = entry.checksum_error;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header;
}

inline std::string written_tar(const std::vector<WrittenTarEntry>& entries) {
  std::string file;
  for (const WrittenTarEntry& entry : entries) {
    file += tar_header(entry) + entry.bytes;
    file.resize((file.size() + 511) / 512 * 512, '\0');
  }
  return file + std::string(1024, '\0');
}

// "27 path=...\n": its number counts itself.
inline std::string pax_record(const std::string& key, const std::string& value) {
  std::size_t length = key.size() + value.size() + 3;
  while (fmt::format("{}", length).size() + key.size() + value.size() + 3 != length)
    length = fmt::format("{}", length).size() + key.size() + value.size() + 3;
  return fmt::format("{} {}={}\n", length, key, value);
}

}  // namespace attend
