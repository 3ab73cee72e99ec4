// Packs bytes that others unpack.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// In the format of gzip (RFC 1952), as small as zlib makes them; equal bytes give equal results.
std::string packed_gzip(std::string_view bytes);

}  // namespace attend
