// Unpacks compressed text as it is read. Private to core/.
#pragma once

#include <memory>
#include <string>

#include "attend/core/files/byte_source.h"

namespace attend::detail {

// The bytes that `packed` holds in the format of gzip (RFC 1952) or Zstandard (RFC 8878); several
// members or frames in a row are one text. `name` is for errors. A read throws DataError for
// damaged and for truncated data, and of Zstandard for a window of more than 128 MiB.
std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed,
                                        const std::string& name);
std::unique_ptr<ByteSource> unpack_zstd(std::unique_ptr<ByteSource> packed,
                                        const std::string& name);

}  // namespace attend::detail
