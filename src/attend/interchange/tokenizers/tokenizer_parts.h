// The parts of a tokenizer.json as they stand in it: the normalizer, the pre-tokenizer and so on,
// each an object with a type, or a sequence of such objects. Private to interchange/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/json/json_object.h"
#include "attend/interchange/tokenizers/tokenizer_json.h"
#include "attend/text/tokenizer_file.h"

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
// The pieces that the model expects before and after a text, and how places are trimmed.
struct ForeignTemplate {
  std::vector<std::string> prefix, suffix;
  PairForm pair = {};
  OffsetTrimming trimming = OffsetTrimming::none;
};
// Reads the post-processor. Throws DataError for one that is not known.
ForeignTemplate read_template(JsonObject& file);

}  // namespace attend::detail
