#include "attend/tasks/training/part_folder.h"

#include <fmt/format.h>

#include <fstream>
#include <span>
#include <vector>

#include "attend/backend/bytes.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

void open_part_folder(const std::filesystem::path& folder, const std::string& settings,
                      std::string_view what) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw IoError(fmt::format("{}: cannot create the folder: {}", printable(folder.string(), 500),
                              error.message()));
  const std::filesystem::path file = folder / "settings.toml";
  if (!std::filesystem::exists(file)) return write_file_atomically(file, settings);
  std::string before;
  for (const std::string& line : read_lines(file.string())) before += line + "\n";
  if (before != settings)
    throw ConfigError(fmt::format(
        "{}: the {} in this folder were made by other models, of another text or with other "
        "options; remove the folder to make new ones",
        printable(folder.string(), 500), what));
}

namespace {

// Covers tensors of every type, unlike checksum_of() of adapters.
std::uint32_t checksum_of_bytes(const Checkpoint& model) {
  std::uint32_t all = 0;
  for (const auto& [name, tensor] : model.tensors) {
    Tensor host = tensor;
    if (tensor.bytes() == nullptr) {  // in the file
      host = Tensor::empty_on_host(tensor.shape(), tensor.dtype());
      model.copy_to(name, host);
    }
    host = host.to_host();
    const auto bytes = static_cast<std::size_t>(host.size()) * size_of(host.dtype());
    all = 31 * all + crc32_of({host.bytes(), bytes});
  }
  return all;
}

}  // namespace

std::string checksums_of(const std::vector<std::string>& files) {
  std::string lines;
  std::vector<char> block(std::size_t{1} << 20);
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::uint32_t all = 0;
    std::int64_t bytes = 0;
    while (in) {
      in.read(block.data(), std::ssize(block));
      const auto count = static_cast<std::size_t>(in.gcount());
      all = 31 * all + crc32_of(std::as_bytes(std::span(block).first(count)));
      bytes += in.gcount();
    }
    if (!in.eof()) throw IoError(fmt::format("{}: cannot be read", printable(file, 500)));
    lines += fmt::format("# of {}: {} bytes, checksum {:08x}\n", printable(file, 500), bytes, all);
  }
  return lines;
}

std::string checksums_of(const Teachers& teachers) {
  std::string line = "# checksums";
  for (const auto& teacher : teachers) line += fmt::format(" {:08x}", checksum_of_bytes(*teacher));
  return line + "\n";
}

std::string names_of(const Teachers& teachers) {
  std::string lines;
  for (const auto& teacher : teachers)
    lines += fmt::format("# by {}\n", printable(teacher->source, 500));
  return lines + checksums_of(teachers);
}

}  // namespace attend
