// What sacremoses makes of text. tools/make_moses_goldens.py writes the data, moses_goldens_*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace goldens {

struct Moses {
  std::string language, text, normalized, tokens;
  std::string detokenized;       // the tokens
  std::string text_detokenized;  // the text, as if it were tokens
};
extern const std::vector<Moses> kMosesEnglish, kMosesGerman, kMosesFrench;

inline std::vector<Moses> all_moses() {
  std::vector<Moses> all = kMosesEnglish;
  for (const std::vector<Moses>* more : {&kMosesGerman, &kMosesFrench})
    all.insert(all.end(), more->begin(), more->end());
  return all;
}

// FNV-1a of what the first lines of a file become, each with its end.
struct RealMoses {
  std::string file, language;
  std::size_t lines;
  std::uint64_t normalized, tokens, detokenized;
};
extern const std::vector<RealMoses> kRealMoses;

}  // namespace goldens
