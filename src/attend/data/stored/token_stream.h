// The tokens of a text for a language model, one after the other: in memory or on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/data/stored/shard.h"

namespace attend {

// May be used from several threads at once.
class TokenStream {
 public:
  virtual ~TokenStream() = default;
  virtual std::int64_t size() const = 0;
  // Fills `to` with the tokens from position `begin` on. Precondition: the stream has them.
  virtual void read(std::int64_t begin, std::span<std::int32_t> to) const = 0;
};

class TokensInMemory final : public TokenStream {
 public:
  explicit TokensInMemory(std::vector<std::int32_t> ids) : ids_(std::move(ids)) {}
  std::int64_t size() const override { return std::ssize(ids_); }
  void read(std::int64_t begin, std::span<std::int32_t> to) const override;

 private:
  std::vector<std::int32_t> ids_;
};

// Streams one after the other: the end of line that each of them begins with is there once, since
// the one before it ends with the same.
class JoinedTokens final : public TokenStream {
 public:
  explicit JoinedTokens(std::vector<std::shared_ptr<const TokenStream>> streams);
  std::int64_t size() const override { return begins_.back(); }
  // Throws like the streams.
  void read(std::int64_t begin, std::span<std::int32_t> to) const override;

 private:
  std::vector<std::shared_ptr<const TokenStream>> streams_;
  std::vector<std::int64_t> begins_;  // of each stream, and the end
};

// Samples of this many tokens each, except for the last one.
inline constexpr std::int64_t kStreamBlock = 1024;

// Writes a stream into samples of one sequence.
class StreamWriter {
 public:
  explicit StreamWriter(ShardWriter& shards) : shards_(shards) {}
  void add(std::span<const std::int32_t> ids);
  // After the last ids.
  void finish();

 private:
  ShardWriter& shards_;
  std::vector<std::int32_t> block_;
};

// The stream that a StreamWriter has written. Holds nothing in memory but the open files.
class StoredTokens final : public TokenStream {
 public:
  // Reads the index of every shard, on all threads. Throws like ShardReader::lengths(), and
  // DataError if a sample does not have the tokens of a block.
  explicit StoredTokens(std::vector<std::shared_ptr<const ShardReader>> shards);

  std::int64_t size() const override { return size_; }
  // Throws like ShardReader::read().
  void read(std::int64_t begin, std::span<std::int32_t> to) const override;

 private:
  std::vector<std::shared_ptr<const ShardReader>> shards_;
  std::vector<std::int64_t> begins_;  // the first block of each shard, and the number of blocks
  std::int64_t size_ = 0;
};

}  // namespace attend
