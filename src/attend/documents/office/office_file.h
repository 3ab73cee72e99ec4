// Office files: zip archives whose parts of text are translated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/office/office_parts.h"

namespace attend {

// Everything but its texts stays as it is: styles, images, tables.
class OfficeFile {
 public:
  // Throws DataError for bytes that are no such file, TooLongError for those whose texts unpack to
  // more than 32 MiB. `name` stands for it in messages.
  OfficeFile(std::string_view name, std::string_view bytes, OfficeKind kind);

  // Returns the parts with text; their texts in this order are those of the file.
  const std::vector<MarkupDocument>& parts() const { return documents_; }

  // Memory that it takes.
  std::size_t bytes() const;

  // The file with these contents of its parts.
  std::string with_parts(const std::vector<std::string>& parts) const;

 private:
  struct Entry {
    std::string name;
    std::string packed;  // as in the archive
    std::uint32_t checksum = 0;
    std::uint64_t size = 0;
    bool deflated = false;
    int part = -1;  // number in documents_; -1: kept as it is
  };

  std::vector<Entry> entries_;
  std::vector<MarkupDocument> documents_;
};

}  // namespace attend
