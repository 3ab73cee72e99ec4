// The parts of a tokenizer.json as they stand in it: the normalizer, the pre-tokenizer and so on,
// each an object with a type, or a sequence of such objects. Private to interchange/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/json_object.h"

namespace attend::detail {

// The parts of the member `name`, in their order: none when it is null, those of a sequence. The
// type of each has been read. Throws DataError.
struct TypedPart {
  std::string type;
  JsonObject part;
};
std::vector<TypedPart> parts_of(JsonObject& file, std::string_view name,
                                std::string_view list_of_sequence);

// "tokenizer.json: normalizer: Foo is not supported here".
[[noreturn]] void refuse_part(const TypedPart& part);
// Throws DataError for a member of the part that is not `wanted`.
void require_flag(TypedPart& part, std::string_view member, bool wanted, bool if_absent);
void require_text(TypedPart& part, std::string_view member, std::string_view wanted);

// The pattern of a Split or Replace: literal text or a regular expression.
struct ForeignPattern {
  std::string text;
  bool is_expression = false;
};
ForeignPattern pattern_of(TypedPart& part);

// The pieces that the model expects before and after a text.
struct ForeignTemplate {
  std::vector<std::string> prefix, suffix;
};
// Of the post-processor. Throws DataError for one that is not known.
ForeignTemplate read_template(JsonObject& file);

// Throws DataError unless all parts of the decoder are of these types: decoding follows from the
// engine.
void require_decoder(JsonObject& file, const std::vector<std::string_view>& types);

}  // namespace attend::detail
