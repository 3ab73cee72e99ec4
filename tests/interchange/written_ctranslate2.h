// Files model.bin as CTranslate2 has them, of any version and with any content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/written_zip.h"

namespace attend {

struct WrittenVariable {
  std::string name;
  std::uint8_t type = 0;  // before version 4: bytes of an element
  std::vector<std::uint32_t> shape = {};
  std::string data;
};

inline std::string written_ct2_text(std::string_view text) {
  return bytes_of(static_cast<std::uint16_t>(text.size() + 1)) + std::string(text) +
         std::string(1, '\0');
}

inline std::string written_ct2_variable(const WrittenVariable& variable, std::uint32_t version) {
  std::string bytes =
      written_ct2_text(variable.name) + bytes_of(static_cast<std::uint8_t>(variable.shape.size()));
  for (const std::uint32_t extent : variable.shape) bytes += bytes_of(extent);
  const std::size_t size =
      version >= 4 ? variable.data.size() : variable.data.size() / variable.type;
  return bytes + bytes_of(variable.type) + bytes_of(static_cast<std::uint32_t>(size)) +
         variable.data;
}

using WrittenAliases = std::vector<std::pair<std::string, std::string>>;

inline std::string written_ctranslate2(const std::vector<WrittenVariable>& variables,
                                       const WrittenAliases& aliases = {},
                                       std::uint32_t version = 6) {
  std::string bytes = bytes_of(version) + written_ct2_text("TransformerSpec") +
                      bytes_of(std::uint32_t{7}) +
                      bytes_of(static_cast<std::uint32_t>(variables.size()));
  for (const WrittenVariable& variable : variables)
    bytes += written_ct2_variable(variable, version);
  if (version < 3) return bytes;
  bytes += bytes_of(static_cast<std::uint32_t>(aliases.size()));
  for (const auto& [alias, name] : aliases)
    bytes += written_ct2_text(alias) + written_ct2_text(name);
  return bytes;
}

}  // namespace attend
