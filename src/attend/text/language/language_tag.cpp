#include "attend/text/language/language_tag.h"

#include <algorithm>
#include <array>
#include <utility>

#include "attend/core/strings/ascii.h"

namespace attend {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Codes of three letters, and old or colloquial ones, of languages with a code of two.
constexpr std::array kCodes{
    Pair{"afr", "af"}, Pair{"alb", "sq"}, Pair{"als", "sq"}, Pair{"amh", "am"}, Pair{"ara", "ar"},
    Pair{"arb", "ar"}, Pair{"arm", "hy"}, Pair{"asm", "as"}, Pair{"aze", "az"}, Pair{"azj", "az"},
    Pair{"bak", "ba"}, Pair{"baq", "eu"}, Pair{"bel", "be"}, Pair{"ben", "bn"}, Pair{"bod", "bo"},
    Pair{"bos", "bs"}, Pair{"bre", "br"}, Pair{"bul", "bg"}, Pair{"bur", "my"}, Pair{"cat", "ca"},
    Pair{"ces", "cs"}, Pair{"chi", "zh"}, Pair{"cmn", "zh"}, Pair{"cym", "cy"}, Pair{"cze", "cs"},
    Pair{"dan", "da"}, Pair{"deu", "de"}, Pair{"dut", "nl"}, Pair{"ekk", "et"}, Pair{"ell", "el"},
    Pair{"eng", "en"}, Pair{"epo", "eo"}, Pair{"est", "et"}, Pair{"eus", "eu"}, Pair{"fao", "fo"},
    Pair{"fas", "fa"}, Pair{"fil", "tl"}, Pair{"fin", "fi"}, Pair{"fra", "fr"}, Pair{"fre", "fr"},
    Pair{"fry", "fy"}, Pair{"geo", "ka"}, Pair{"ger", "de"}, Pair{"gla", "gd"}, Pair{"gle", "ga"},
    Pair{"glg", "gl"}, Pair{"gre", "el"}, Pair{"guj", "gu"}, Pair{"hat", "ht"}, Pair{"hau", "ha"},
    Pair{"hbs", "sh"}, Pair{"heb", "he"}, Pair{"hin", "hi"}, Pair{"hrv", "hr"}, Pair{"hun", "hu"},
    Pair{"hye", "hy"}, Pair{"ice", "is"}, Pair{"in", "id"},  Pair{"ind", "id"}, Pair{"isl", "is"},
    Pair{"ita", "it"}, Pair{"iw", "he"},  Pair{"jav", "jv"}, Pair{"jpn", "ja"}, Pair{"kan", "kn"},
    Pair{"kat", "ka"}, Pair{"kaz", "kk"}, Pair{"khk", "mn"}, Pair{"khm", "km"}, Pair{"kir", "ky"},
    Pair{"kor", "ko"}, Pair{"lao", "lo"}, Pair{"lav", "lv"}, Pair{"lit", "lt"}, Pair{"ltz", "lb"},
    Pair{"lvs", "lv"}, Pair{"mac", "mk"}, Pair{"mal", "ml"}, Pair{"mar", "mr"}, Pair{"may", "ms"},
    Pair{"mkd", "mk"}, Pair{"mlt", "mt"}, Pair{"mon", "mn"}, Pair{"msa", "ms"}, Pair{"mya", "my"},
    Pair{"nep", "ne"}, Pair{"nld", "nl"}, Pair{"nno", "nn"}, Pair{"no", "nb"},  Pair{"nob", "nb"},
    Pair{"nor", "nb"}, Pair{"npi", "ne"}, Pair{"oci", "oc"}, Pair{"ori", "or"}, Pair{"ory", "or"},
    Pair{"pan", "pa"}, Pair{"pbt", "ps"}, Pair{"per", "fa"}, Pair{"pes", "fa"}, Pair{"pol", "pl"},
    Pair{"por", "pt"}, Pair{"pus", "ps"}, Pair{"ron", "ro"}, Pair{"rum", "ro"}, Pair{"rus", "ru"},
    Pair{"sin", "si"}, Pair{"slk", "sk"}, Pair{"slo", "sk"}, Pair{"slv", "sl"}, Pair{"snd", "sd"},
    Pair{"som", "so"}, Pair{"spa", "es"}, Pair{"sqi", "sq"}, Pair{"srd", "sc"}, Pair{"srp", "sr"},
    Pair{"sun", "su"}, Pair{"swa", "sw"}, Pair{"swe", "sv"}, Pair{"swh", "sw"}, Pair{"tam", "ta"},
    Pair{"tat", "tt"}, Pair{"tel", "te"}, Pair{"tgk", "tg"}, Pair{"tgl", "tl"}, Pair{"tha", "th"},
    Pair{"tib", "bo"}, Pair{"tir", "ti"}, Pair{"tuk", "tk"}, Pair{"tur", "tr"}, Pair{"uig", "ug"},
    Pair{"ukr", "uk"}, Pair{"urd", "ur"}, Pair{"uzb", "uz"}, Pair{"uzn", "uz"}, Pair{"vie", "vi"},
    Pair{"wel", "cy"}, Pair{"xho", "xh"}, Pair{"ydd", "yi"}, Pair{"yid", "yi"}, Pair{"yor", "yo"},
    Pair{"zho", "zh"}, Pair{"zsm", "ms"}, Pair{"zul", "zu"}};

std::string_view two_letters(std::string_view code) {
  const auto found = std::find_if(kCodes.begin(), kCodes.end(),
                                  [&](const Pair& pair) { return pair.first == code; });
  return found == kCodes.end() ? code : found->second;
}

// The script that Chinese is written in there.
std::string_view script_in(std::string_view region) {
  if (region == "tw" || region == "hk" || region == "mo") return "hant";
  return "hans";
}

// Whether they may mean the same where only one of them says anything.
bool fit(std::string_view one, std::string_view other) {
  return one.empty() || other.empty() || one == other;
}

}  // namespace

LanguageTag language_tag(std::string_view name) {
  const std::string text = ascii_lower(name);
  LanguageTag tag;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("-_", begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (begin == 0) {
      tag.language = two_letters(part);
    } else if (part.size() == 4) {
      tag.script = part;
    } else if (part.size() == 2 || part.size() == 3) {
      tag.region = part;
    }
    begin = end + 1;
  }
  // Names of LibreTranslate and of Argos.
  if (tag.language == "pb") tag = {"pt", tag.script, "br"};
  if (tag.language == "zt") tag = {"zh", "hant", ""};
  if (tag.language == "zh") {
    if (tag.script.empty()) tag.script = script_in(tag.region);
    tag.region.clear();
  }
  return tag;
}

std::optional<std::string> matching_language(std::string_view asked,
                                             std::span<const std::string> names) {
  const LanguageTag wanted = language_tag(asked);
  const std::string* same = nullptr;
  const std::string* near = nullptr;
  for (const std::string& name : names) {
    if (name == asked) return name;
    const LanguageTag tag = language_tag(name);
    if (same == nullptr && tag == wanted) same = &name;
    const bool fits = tag.language == wanted.language && fit(tag.script, wanted.script) &&
                      fit(tag.region, wanted.region);
    if (near == nullptr && fits) near = &name;
  }
  const std::string* const found = same != nullptr ? same : near;
  return found == nullptr ? std::nullopt : std::optional(*found);
}

}  // namespace attend
