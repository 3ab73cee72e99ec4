#include "attend/backend/instruction_sets.h"

#include "attend/backend/fast/targets.h"
// must come after it
#include "hwy/highway.h"
#include "hwy/targets.h"

namespace attend {

InstructionSets instruction_sets() {
  InstructionSets sets;
  const auto usable = hwy::SupportedTargets();
  for (int bit = 0; bit < 63; ++bit) {  // lower bits are better sets
    const auto target = std::int64_t{1} << bit;
    if ((HWY_TARGETS & target) == 0) continue;
    sets.built.emplace_back(hwy::TargetName(target));
    if (sets.used.empty() && (usable & target) != 0) sets.used = sets.built.back();
  }
#if HWY_ARCH_X86
  if (__builtin_cpu_supports("avx512vnni")) sets.used += " + VNNI";
  if (__builtin_cpu_supports("avx512bf16")) sets.used += " + BF16";
#endif
  return sets;
}

}  // namespace attend
