// The lines of a text that have been seen before, in 10 to 20 bytes for each different one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attend {

// Remembers hashes of 64 bits instead of lines. Of n different lines, any two have the same hash,
// so that one of them counts as seen, with a probability of about n^2 / 2^65: 2e-5 for 30 million
// lines, 3 % for a billion.
class SeenLines {
 public:
  // `most_bytes`: for the table.
  explicit SeenLines(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  // The hash of a line, or of a pair of lines; equal in every run.
  static std::uint64_t hash(std::string_view line);
  static std::uint64_t hash(std::string_view src, std::string_view tgt);

  bool contains(std::uint64_t hash) const;
  // Adds a line, if it is new. Throws DataError if the table would need more memory.
  void insert(std::uint64_t hash);

  std::int64_t lines() const { return lines_; }
  std::int64_t bytes() const { return bytes_; }
  double collision_probability() const;

 private:
  // Open addressing with linear probing; 0 is a free slot. Many small tables grow one by one, so
  // growing needs little memory beside the table.
  struct Part {
    std::vector<std::uint64_t> slots;
    std::size_t used = 0;
  };
  static constexpr int kPartBits = 8;

  void grow(Part& part);

  std::array<Part, std::size_t{1} << kPartBits> parts_;
  std::int64_t most_bytes_;
  std::int64_t lines_ = 0, bytes_ = 0;
};

}  // namespace attend
