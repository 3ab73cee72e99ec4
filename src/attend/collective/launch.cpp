#include "attend/collective/launch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "attend/collective/plugin.h"
#include "attend/core/files/code_folder.h"
#include "attend/error.h"

namespace attend {

namespace {

// A number of the environment; 0 if there is none.
int number(const char* text) {
  int value = 0;
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), value);
  return failure == std::errc() && end == digits.end() ? value : 0;
}

// The processes that MPI knows, through the functions of the plugin.
class PluginCollective final : public Collective {
 public:
  explicit PluginCollective(const MessagePassing& functions) : functions_(functions) {
    functions_.start(&rank_, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void exchange(int partner, std::span<const std::byte> sent,
                std::span<std::byte> received) override {
    functions_.exchange(partner, sent.data(), sent.size(), received.data(), received.size());
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    functions_.gather(mine.data(), mine.size(), all.data());
  }
  void broadcast(std::span<std::byte> bytes) override {
    functions_.broadcast(bytes.data(), bytes.size());
  }
  void finish() override { functions_.finish(); }

 private:
  MessagePassing functions_;
  int rank_ = 0, size_ = 1;
};

constexpr const char* kPlugin = "attend_mpi.so";

// Beside the file that holds this code (program, library or Python module), or installed.
std::string plugin_file() {
  const std::filesystem::path folder = code_folder();
  std::error_code failure;
  for (const char* place : {"", "attend", ATTEND_PLUGIN_FOLDER})
    if (const std::filesystem::path path = folder / place / kPlugin;
        std::filesystem::exists(path, failure))
      return path.string();
  return (folder / kPlugin).string();
}

}  // namespace

std::optional<Launch> find_launch(const Environment& environment) {
  struct Names {
    const char *size, *rank;
  };
  for (const auto& [size, rank] :
       {Names{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, Names{"PMI_SIZE", "PMI_RANK"},
        Names{"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}})
    if (environment(rank) != nullptr && number(environment(size)) > 1)
      return Launch{size, number(environment(size)), number(environment(rank))};
  return std::nullopt;
}

std::optional<Launch> find_launch() {
  return find_launch([](const char* name) { return std::getenv(name); });
}

std::shared_ptr<Collective> open_collective(const std::string& plugin, const Launch& launch) {
  // Global: MPI opens parts of itself, which look for its symbols. Never closed: neither is MPI.
  void* const library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    throw ConfigError(fmt::format(
        "{} says {} processes, but the plugin for MPI cannot be opened ({}): install Open MPI "
        "(libopenmpi-dev) and build attend again, or start one process without mpirun or srun",
        launch.variable, launch.size, why == nullptr ? plugin : why));
  }
  const auto functions =
      reinterpret_cast<const MessagePassing* (*)()>(dlsym(library, kMessagePassing));
  if (functions == nullptr || functions()->version != kMessagePassingVersion)
    throw ConfigError(
        fmt::format("{}: expected the plugin of this version of attend, found another", plugin));
  auto processes = std::make_shared<PluginCollective>(*functions());
  if (processes->size() != launch.size)
    throw ConfigError(fmt::format(
        "{} says {} processes, MPI {}: expected a launcher of the MPI that attend was built with",
        launch.variable, launch.size, processes->size()));
  return processes;
}

std::shared_ptr<Collective> join(const std::optional<Launch>& launch) {
  if (!launch) return std::make_shared<SingleProcess>();
  return open_collective(plugin_file(), *launch);
}

}  // namespace attend
