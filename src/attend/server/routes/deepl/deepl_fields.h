// What the routes of DeepL have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/server/service.h"

namespace attend {

inline constexpr std::string_view kDeeplGroup = "DeepL";

// The language of a text: "auto" if the request does not say it.
std::string deepl_source(const Parameters& parameters);

// Parameters of translations.
std::vector<RouteField> deepl_translation_fields();
// Throws HttpError for a formality that no model can choose.
void require_formality(const Parameters& parameters);
// The terms of the glossaries that a request names, for its languages. Throws HttpError 404 for one
// that is not there, 400 for one without these languages.
std::vector<std::string> deepl_terms(const Call& call);

// A language as DeepL writes it: "EN", and "PT-BR" or "ZH-HANS" for that of a translation.
std::string deepl_source_code(std::string_view language);
// English and Portuguese are named with each of their regions.
std::vector<std::string> deepl_target_codes(std::string_view language);

// The part of a path behind its beginning, "a/b", at the slash; the second is empty without one.
std::pair<std::string_view, std::string_view> deepl_path_parts(const Call& call);

}  // namespace attend
