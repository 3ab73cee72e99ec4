#include "attend/backend/instruction_sets.h"

#include "attend/backend/fast/cpu_extensions.h"
#include "attend/backend/fast/targets.h"
// must come after it
#include "hwy/highway.h"
#include "hwy/targets.h"
#if HWY_ARCH_ARM_A64
#include <sys/auxv.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/backend/backend.h"
#include "attend/error.h"

namespace attend {

namespace {

struct Extension {
  std::string_view name;
  std::int64_t set;  // the instruction set whose kernels use it
  bool CpuExtensions::*member;
};
constexpr std::array kExtensions = {Extension{"VNNI", HWY_AVX3, &CpuExtensions::vnni},
                                    Extension{"BF16", HWY_AVX3, &CpuExtensions::bf16},
                                    Extension{"VPCLMULQDQ", HWY_AVX3, &CpuExtensions::vpclmulqdq},
                                    Extension{"PMULL", HWY_NEON, &CpuExtensions::pmull},
                                    Extension{"DOTPROD", HWY_NEON, &CpuExtensions::dotprod},
                                    Extension{"I8MM", HWY_NEON, &CpuExtensions::i8mm}};

CpuExtensions extensions_of_cpu() {
  CpuExtensions found;
#if HWY_ARCH_X86
  found.vnni = __builtin_cpu_supports("avx512vnni");
  found.bf16 = __builtin_cpu_supports("avx512bf16");
  found.vpclmulqdq = __builtin_cpu_supports("vpclmulqdq");
#elif HWY_ARCH_ARM_A64
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  found.pmull = (first & HWCAP_PMULL) != 0;
  found.dotprod = (first & HWCAP_ASIMDDP) != 0;
  found.i8mm = found.dotprod && (second & HWCAP2_I8MM) != 0;
#endif
  return found;
}

// Lists the sets of a mask, best first: lower bits are better sets.
std::vector<std::int64_t> sets_of(std::int64_t mask) {
  std::vector<std::int64_t> sets;
  for (int bit = 0; bit < 63; ++bit) {
    const auto set = std::int64_t{1} << bit;
    if ((mask & set) != 0) sets.push_back(set);
  }
  return sets;
}

// The built sets that the CPU has, whichever are in use. Of a single set Highway does not ask.
const std::vector<std::int64_t>& usable_sets() {
  static const std::vector<std::int64_t> sets = sets_of(
      HWY_TARGETS == HWY_STATIC_TARGET ? HWY_TARGETS : HWY_TARGETS & hwy::SupportedTargets());
  return sets;
}

struct InUse {
  std::int64_t set;
  CpuExtensions extensions;
};

InUse& in_use() {
  static InUse choice{usable_sets().front(), extensions_of_cpu()};
  return choice;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// The names of "a + b".
std::vector<std::string_view> parts_of(std::string_view sum) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos; sum.remove_prefix(end + 1)) {
    end = sum.find('+');
    parts.push_back(trimmed(sum.substr(0, end)));
    if (end == std::string_view::npos) break;
  }
  return parts;
}

std::string with_extensions(std::int64_t set, const CpuExtensions& extensions) {
  std::string text = hwy::TargetName(set);
  for (const Extension& extension : kExtensions) {
    if (extension.set == set && extensions.*extension.member)
      text += fmt::format(" + {}", extension.name);
  }
  return text;
}

std::vector<std::string> usable_names() {
  std::vector<std::string> names;
  for (const std::int64_t set : usable_sets())
    names.push_back(with_extensions(set, extensions_of_cpu()));
  return names;
}

[[noreturn]] void refuse(std::string_view wanted) {
  throw ConfigError(
      fmt::format("instruction sets (ATTEND_INSTRUCTIONS): expected one of {}, with all or some of "
                  "its extensions, since this program and this CPU have these; found \"{}\"",
                  fmt::join(usable_names(), ", "), wanted));
}

}  // namespace

const CpuExtensions& cpu_extensions() { return in_use().extensions; }

InstructionSets instruction_sets() {
  fast_backend();  // heeds ATTEND_INSTRUCTIONS
  InstructionSets sets;
  for (const std::int64_t set : sets_of(HWY_TARGETS)) sets.built.emplace_back(hwy::TargetName(set));
  sets.usable = usable_names();
  sets.used = with_extensions(in_use().set, in_use().extensions);
  return sets;
}

void use_instruction_sets(std::string_view used) {
  const std::vector<std::int64_t>& usable = usable_sets();
  const std::vector<std::string_view> names = parts_of(used);
  const auto set = std::find_if(usable.begin(), usable.end(), [&](std::int64_t candidate) {
    return names.front() == hwy::TargetName(candidate);
  });
  if (set == usable.end()) refuse(used);
  const CpuExtensions found = extensions_of_cpu();
  CpuExtensions named;
  for (auto name = names.begin() + 1; name != names.end(); ++name) {
    const auto extension =
        std::find_if(kExtensions.begin(), kExtensions.end(), [&](const Extension& candidate) {
          return candidate.name == *name && candidate.set == *set;
        });
    if (extension == kExtensions.end() || !(found.*extension->member)) refuse(used);
    named.*extension->member = true;
  }
  named.i8mm = named.i8mm && named.dotprod;
  in_use() = {*set, named};
  hwy::DisableTargets(*set - 1);  // the better ones
}

}  // namespace attend
