// A program with a command, whose options are bound to a struct.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/cli/binding/options_binding.h"
#include "attend/error.h"

namespace attend {

enum class NormPlace { post, pre };
inline std::span<const std::string_view> enum_names(NormPlace) {
  static constexpr std::array<std::string_view, 2> kNames{"post", "pre"};
  return kNames;
}

struct Example {
  bool tie_all = true;
  bool quiet = false;
  int d_model = 512;
  std::uint64_t seed = 1;
  float dropout = 0.1f;
  std::string out = "run";
  std::vector<std::string> references;
  NormPlace norm = NormPlace::post;
  int magic = 0;
};
template <class Visitor>
void fields(Example& o, Visitor&& visit) {
  visit("tie-all", o.tie_all, "tie the embeddings");
  visit("quiet", o.quiet, "say less");
  visit("d-model", o.d_model, between(-100, 65536), "width of the model");
  visit("seed", o.seed, any_seed(), "of the random numbers");
  visit("dropout", o.dropout, below_one(), "share of zeros");
  visit("out", o.out, "folder of the run");
  visit("references", o.references, "files to compare with");
  visit("norm", o.norm, "where the norms are");
  visit("magic", o.magic, between(0, 9), experimental("tricks tried"));
}

// `attend train --config FILE ...`, with one option of its own besides a bound struct.
struct Program {
  CLI::App app{"a program", "attend"};
  Example options;
  CLI::App* train = app.add_subcommand("train", "train a model");
  OptionBinding binding{*train};

  Program() {
    app.require_subcommand(1);
    binding.add(options, "Model");
  }
  Example& parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "attend");
    parse_command_line(app, static_cast<int>(arguments.size()), arguments.data());
    return options;
  }
};

inline std::string error_of(const std::vector<const char*>& arguments) {
  Program program;
  try {
    program.parse(arguments);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace attend
