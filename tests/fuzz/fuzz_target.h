// What a fuzz target provides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Libfuzzer's entry: reads one input. A crash, a sanitizer report or an exception other than
// DataError is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace attend {

// Where the mutation driver starts from: whole inputs, and words worth inserting.
std::vector<std::string> fuzz_corpus();
std::vector<std::string> fuzz_dictionary();

// Makes a mutated input pass the outermost check (a length prefix) so that what follows it is
// reached.
void fuzz_repair(std::string& input);

}  // namespace attend
