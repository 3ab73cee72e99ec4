#include "attend/interchange/families/two_stacks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/checkpoint/options_json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

void set_decoder(TransformerConfig& shape, const StackConfig& decoder, const std::string& where) {
  shape.set_decoder(decoder);
  TransformerConfig as_decoder = shape, as_it_is = shape;
  static_cast<StackConfig&>(as_it_is) = shape.decoder();
  static_cast<StackConfig&>(as_decoder) = decoder;
  // These two are there in several forms.
  as_decoder.n_key_heads = as_it_is.n_key_heads;
  as_decoder.attention_layers = as_it_is.attention_layers;
  const nlohmann::ordered_json ours = options_json(option_fields(as_it_is)),
                               theirs = options_json(option_fields(as_decoder));
  for (const auto& [name, value] : ours.items())
    if (theirs.at(name) != value)
      throw DataError(
          fmt::format("{}: {} is {} in the encoder and {} in the decoder; expected one value",
                      where, name, printable(value.dump()), printable(theirs.at(name).dump())));
}

}  // namespace attend
