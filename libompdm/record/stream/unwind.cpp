#include "record/stream/unwind.h"

namespace ompdm::record {

bool StackWalk::read(std::uint64_t place, std::uint64_t& value) const noexcept {
  if (place % sizeof(value) != 0 || place < registers_[kRegisterRsp] || place < stack_.begin ||
      place >= stack_.end || stack_.end - place < sizeof(value)) {
    return false;
  }
  value = *reinterpret_cast<const std::uint64_t*>(place);
  return true;
}

bool StackWalk::find_cfa(const FrameRules& rules, std::uint64_t& cfa) const noexcept {
  if (!is_known(rules.cfa_base)) {
    return false;
  }
  cfa = registers_[rules.cfa_base] + static_cast<std::uint64_t>(rules.cfa_offset);
  return !rules.cfa_is_read || read(cfa, cfa);
}

void StackWalk::restore(const FrameRules& rules, std::uint64_t cfa) noexcept {
  const std::uint32_t known_before = known_;
  std::uint64_t before[kRegisters];
  __builtin_memcpy(before, registers_, sizeof(before));
  for (unsigned i = 0; i < kRegisterReturn; ++i) {
    if ((kPreserved >> i & 1U) == 0) {
      continue;
    }
    const RegisterRule& rule = rules.registers[i];
    bool is_known = (known_before >> i & 1U) != 0;
    switch (rule.kind) {
      case RegisterRule::kSame:
        break;
      case RegisterRule::kUnknown:
        is_known = false;
        break;
      case RegisterRule::kAtOffset:
        is_known = read(cfa + static_cast<std::uint64_t>(std::int64_t{rule.offset}), registers_[i]);
        break;
      case RegisterRule::kAtBase:
        is_known = (known_before >> rule.base & 1U) != 0 &&
                   read(before[rule.base] + static_cast<std::uint64_t>(std::int64_t{rule.offset}),
                        registers_[i]);
        break;
    }
    known_ = is_known ? known_ | 1U << i : known_ & ~(1U << i);
  }
}

bool StackWalk::next(std::uint64_t& place, std::uint64_t& address) noexcept {
  // A call may be its function's last instruction: what it returns to belongs to another one.
  const std::uint64_t pc = registers_[kRegisterReturn] - (is_first_ ? 0 : 1);
  is_first_ = false;
  FrameRules rules;
  std::uint64_t cfa = 0;
  if (!frame_rules_at(pc, rules) || rules.is_signal || !find_cfa(rules, cfa) ||
      cfa <= registers_[kRegisterRsp] || cfa > stack_.end) {
    return false;
  }
  const RegisterRule& back = rules.registers[kRegisterReturn];
  place = cfa + static_cast<std::uint64_t>(std::int64_t{back.offset});
  if (back.kind != RegisterRule::kAtOffset || !read(place, address) || address == 0) {
    return false;
  }
  restore(rules, cfa);
  registers_[kRegisterRsp] = cfa;
  registers_[kRegisterReturn] = address;
  return true;
}

}  // namespace ompdm::record
