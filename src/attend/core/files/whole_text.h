// The text of a stream as one string, line breaks and all.
#pragma once

#include <istream>
#include <string>

namespace attend {

// Read to their end; what gzip or zstd packed is unpacked. `name` stands for them in messages.
// Throws IoError, or DataError for what is not UTF-8.
std::string whole_text(int descriptor, const std::string& name);
std::string whole_text(std::istream& stream, const std::string& name);

}  // namespace attend
