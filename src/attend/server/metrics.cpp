#include "attend/server/metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "attend/version.h"

namespace attend {
namespace {

void describe_metric(std::string& out, std::string_view name, std::string_view type,
                     std::string_view help) {
  out += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

template <class Number>
void add_metric(std::string& out, std::string_view name, std::string_view type,
                std::string_view help, Number value) {
  describe_metric(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void add_jobs(std::string& out, const EngineStatistics& jobs) {
  const auto gauge = [&](std::string_view name, std::string_view help, std::int64_t value) {
    add_metric(out, name, "gauge", help, value);
  };
  gauge("attend_queue_items", "Sentences, texts and continuations that wait.", jobs.waiting_items);
  gauge("attend_queue_tokens", "Tokens that wait.", jobs.waiting_tokens);
  gauge("attend_running_items", "Sentences, texts and continuations in progress.",
        jobs.running_items);
  gauge("attend_running_rows", "Hypotheses in the running batches.", jobs.running_rows);
  const auto counter = [&](std::string_view name, std::string_view help, std::int64_t value) {
    add_metric(out, name, "counter", help, value);
  };
  counter("attend_tokens_read_total", "Tokens of sources, prompts and texts.", jobs.tokens_read);
  counter("attend_tokens_written_total", "Tokens of answers.", jobs.tokens_written);
  counter("attend_steps_total", "Decoding steps of running batches.", jobs.steps);
  describe_metric(out, "attend_items_total", "counter",
                  "Sentences, texts and continuations by outcome.");
  for (const auto& [outcome, count] :
       {std::pair("answered", jobs.answered_items), std::pair("failed", jobs.failed_items),
        std::pair("cancelled", jobs.cancelled_items), std::pair("refused", jobs.refused_items)})
    out += fmt::format("attend_items_total{{outcome=\"{}\"}} {}\n", outcome, count);
}

}  // namespace

void Metrics::add_request(const std::string& route, int status, double seconds) {
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
  Histogram& histogram = seconds_[route];
  ++histogram.counts[static_cast<std::size_t>(bound - kBounds.begin())];
  histogram.sum += seconds;
}

std::string Metrics::text(const Gauges& gauges) const {
  std::string out;
  {
    const std::lock_guard lock(mutex_);
    describe_metric(out, "attend_http_requests_total", "counter", "Requests by route and status.");
    for (const auto& [key, count] : requests_)
      out += fmt::format("attend_http_requests_total{{route=\"{}\",code=\"{}\"}} {}\n", key.first,
                         key.second, count);
    describe_metric(out, "attend_http_request_duration_seconds", "histogram",
                    "Seconds from the end of a request to the end of its response.");
    for (const auto& [route, histogram] : seconds_) {
      std::int64_t count = 0;
      for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        count += histogram.counts[i];
        out += fmt::format(
            "attend_http_request_duration_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
            i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf", count);
      }
      out += fmt::format(
          "attend_http_request_duration_seconds_sum{{route=\"{0}\"}} {1}\n"
          "attend_http_request_duration_seconds_count{{route=\"{0}\"}} {2}\n",
          route, histogram.sum, count);
    }
  }
  add_jobs(out, gauges.jobs);
  add_metric(out, "attend_queue_limit_tokens", "gauge", "Most tokens that may wait.",
             gauges.queue_limit);
  add_metric(out, "attend_connections", "gauge", "Open connections.", gauges.connections);
  add_metric(out, "attend_models", "gauge", "Loaded models.", gauges.models);
  add_metric(out, "process_resident_memory_bytes", "gauge", "Resident memory.", resident_bytes());
  add_metric(out, "process_cpu_seconds_total", "counter", "Processor time, user and system.",
             cpu_seconds());
  add_metric(out, "process_start_time_seconds", "gauge", "Start of the process since the epoch.",
             std::chrono::duration<double>(started_.time_since_epoch()).count());
  describe_metric(out, "attend_build_info", "gauge", "The version; always 1.");
  out += fmt::format("attend_build_info{{version=\"{}\"}} 1\n", version());
  return out;
}

}  // namespace attend
