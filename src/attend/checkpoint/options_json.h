// Options as a JSON object in the metadata of a model file: {"d_model": 512, "dropout": 0.1,
// "positions": "sinusoidal"}. Keys are written in snake_case, in the order of the struct, and read
// in either case. Equal options give equal bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "attend/core/options/option_fields.h"

namespace attend {

nlohmann::ordered_json options_json(std::span<const OptionField> fields);
std::string write_options_json(std::span<const OptionField> fields);

// Sets the options in the object; others keep their values, so a file older than an option means
// its default. Throws DataError "<where>: ..." for text that is not a JSON object, unknown keys
// (naming the nearest known one) and values of the wrong type (naming the key). On error, earlier
// options remain set; options_from_json changes nothing.
void read_options_json(std::span<const OptionField> fields, std::string_view json,
                       std::string_view where);

template <class Options>
std::string options_to_json(Options options) {
  return write_options_json(option_fields(options));
}

template <class Options>
void options_from_json(std::string_view json, Options& options, std::string_view where) {
  Options read = options;
  read_options_json(option_fields(read), json, where);
  options = read;
}

}  // namespace attend
