// What a fuzz target is. Each file NAME_fuzz.cpp registers one; a program holds them all.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

struct FuzzTarget {
  std::string_view name;
  // Where mutations start from: whole inputs, and words worth inserting.
  std::vector<std::string> (*corpus)();
  std::vector<std::string> (*dictionary)();
  // Reads one input. A crash, a sanitizer report or an exception that comes through is a finding.
  void (*use)(std::string_view input);
  // Makes a mutated input pass the outermost check (a length prefix), so that what follows it is
  // reached. May be null.
  void (*repair)(std::string& input) = nullptr;
};

// All targets of the program.
inline std::vector<FuzzTarget>& fuzz_targets() {
  static std::vector<FuzzTarget> targets;
  return targets;
}

// The target that the first argument names. Ends the program where there is none.
inline const FuzzTarget& named_fuzz_target(int argc, char** argv) {
  for (const FuzzTarget& target : fuzz_targets()) {
    if (argc > 1 && target.name == argv[1]) return target;
  }
  std::fprintf(stderr, "name a target:");
  for (const FuzzTarget& target : fuzz_targets())
    std::fprintf(stderr, " %.*s", static_cast<int>(target.name.size()), target.name.data());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

// A constant of this type at namespace scope adds a target to the program.
struct RegisteredFuzzTarget {
  explicit RegisteredFuzzTarget(const FuzzTarget& target) { fuzz_targets().push_back(target); }
};

}  // namespace attend
