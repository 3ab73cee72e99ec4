// Several processes that work on one training, numbered from 0. Each makes the same calls in the
// same order; a call returns when those it needs have made theirs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace attend {

class Collective {
 public:
  virtual ~Collective() = default;

  virtual int rank() const = 0;  // the number of this process
  virtual int size() const = 0;  // of processes

  // Sends bytes to process `partner` and receives those that it sends to this one in its own call.
  // Both processes know both lengths, which may differ.
  virtual void exchange(int partner, std::span<const std::byte> sent,
                        std::span<std::byte> received) = 0;
  // Copies `mine` of every process to every process, by rank: all.size() == size() * mine.size().
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  // Copies the bytes of process 0 to all others.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  // Waits until all processes are done; none may call another function afterwards. A process that
  // ends without it makes the launcher end all others.
  virtual void finish() = 0;

  // The one that writes files and reports.
  bool is_first() const { return rank() == 0; }
};

// This process alone.
class SingleProcess final : public Collective {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(int partner, std::span<const std::byte> sent,
                std::span<std::byte> received) override;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void broadcast(std::span<std::byte>) override {}
  void finish() override {}
};

// The numbers of every process, by rank. All pass equally many.
std::vector<double> gather_numbers(Collective& processes, std::span<const double> mine);

// The largest of the numbers of all processes.
double largest_number(Collective& processes, double mine);

}  // namespace attend
