// Files of word processors against hostile bytes: archives that lie about their sizes, too.
#include "attend/server/http/message.h"
#include "attend/server/office_file.h"
#include "fuzz/fuzz_target.h"

namespace attend::office_file_fuzz {
namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

// An archive of one stored entry.
std::string archive(const std::string& name, const std::string& content) {
  std::string header;
  put(header, 20, 2);
  put(header, 0, 12);
  put(header, content.size(), 4);
  put(header, content.size(), 4);
  put(header, name.size(), 2);
  put(header, 0, 2);
  std::string out;
  put(out, 0x04034b50, 4);
  out += header + name + content;
  const std::size_t begin = out.size();
  put(out, 0x02014b50, 4);
  put(out, 20, 2);
  out += header;
  put(out, 0, 14);
  out += name;
  const std::size_t size = out.size() - begin;
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, 1, 2);
  put(out, 1, 2);
  put(out, size, 4);
  put(out, begin, 4);
  put(out, 0, 2);
  return out;
}

std::vector<std::string> corpus() {
  return {"w" + archive("word/document.xml", "<w:p><w:r><w:t>a b</w:t></w:r></w:p>"),
          "o" + archive("content.xml", "<text:p>a <text:span>b</text:span></text:p>"), "w", "o"};
}

std::vector<std::string> dictionary() {
  return {"PK\1\2",
          "PK\3\4",
          "PK\5\6",
          "PK\6\6",
          "PK\6\7",
          "word/document.xml",
          "content.xml",
          "\xff\xff\xff\xff",
          std::string("\0\0\0\0", 4),
          std::string("\x08\0", 2)};
}

void use(std::string_view input) {
  if (input.empty()) return;
  try {
    const OfficeFile file(std::string(input.substr(1)), input.front() == 'w' ? ".docx" : ".odt");
    file.with_parts(std::vector<std::string>(file.parts().size(), "<x/>"));
  } catch (const HttpError&) {  // what clients get
  }
}

const RegisteredFuzzTarget registered{{"office_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::office_file_fuzz
