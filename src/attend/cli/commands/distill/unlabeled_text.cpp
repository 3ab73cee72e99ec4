#include "attend/cli/commands/distill/unlabeled_text.h"

#include "attend/core/files/lines.h"
#include "attend/core/strings/utf8.h"

namespace attend {

void add_unlabeled(
    const std::vector<std::string>& files, std::vector<std::string>& texts,
    const std::function<void(const std::string& line, const std::string& where)>& check) {
  std::string line;
  for (const std::string& file : files)
    for (LineReader lines(file); lines.next(line);) {
      if (is_blank(line)) continue;
      check(line, lines.where());
      texts.push_back(line);
    }
}

}  // namespace attend
