#include "attend/version.h"

#include <fmt/format.h>
#include <utf8proc.h>
#include <zlib.h>
#include <zstd.h>

#include <nlohmann/json.hpp>

#include "attend/backend/backend.h"
#include "attend/backend/instruction_sets.h"
#include "attend/core/threads/cpu_quota.h"
#include "attend/core/version.h"

namespace attend {

namespace {

std::string compiler() {
#ifdef __clang__
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

std::string version() { return std::string(kVersion); }

std::string build_information() {
  const InstructionSets sets = instruction_sets();
  std::string text = fmt::format("compiler: {}\n", compiler());
  text += fmt::format("instruction sets: {}\n", fmt::join(sets.built, ", "));
  text += fmt::format("in use: {}, {} kernels\n", sets.used, backend()->name());
  text += fmt::format("threads by default: {}\n", default_threads().description());
  // Versions at run time for libraries that report them; otherwise versions at build time.
  text += fmt::format(
      "libraries: Highway {}, SentencePiece {}, PCRE2 {}, zlib {}, zstd {}, utf8proc {}, fmt "
      "{}.{}.{}, "
      "nlohmann-json "
      "{}.{}.{}, toml++ {}",
      ATTEND_HIGHWAY_VERSION, ATTEND_SENTENCEPIECE_VERSION, ATTEND_PCRE2_VERSION, zlibVersion(),
      ZSTD_versionString(), utf8proc_version(), FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
      FMT_VERSION % 100, NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
      NLOHMANN_JSON_VERSION_PATCH, ATTEND_TOML_VERSION);
  return text;
}

}  // namespace attend
