// Lines of files for teachers to read.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace attend {

// Adds those that are not blank to `texts`; check(line, "file:line") may throw. Throws like
// LineReader.
void add_unlabeled(
    const std::vector<std::string>& files, std::vector<std::string>& texts,
    const std::function<void(const std::string& line, const std::string& where)>& check);

}  // namespace attend
