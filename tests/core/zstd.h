// Text as a zstd file, for the readers of those.
#pragma once

#include <zstd.h>

#include <string>

namespace attend {

inline std::string zstd(const std::string& text, bool with_checksum = true) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, with_checksum ? 1 : 0);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

}  // namespace attend
