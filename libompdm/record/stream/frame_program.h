// Call frame instructions (DWARF 5, 6.4.2), run up to a place in a function. No allocation.
#pragma once

#include <cstdint>

#include "record/stream/call_frames.h"
#include "record/stream/table_bytes.h"

namespace ompdm::record {

/// What all functions of one kind have in common.
struct FrameCommon {
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  std::uint8_t pointers = kAbsolute;
  bool has_augmentation = false;
  bool is_signal = false;
  TableBytes first{nullptr, nullptr};  // instructions
};

/// Runs call frame instructions up to a place in a function.
class FrameProgram {
 public:
  FrameProgram(const FrameCommon& common, FrameRules& rules) noexcept
      : common_(common), rules_(rules) {}

  /// Runs `code`, which begins at `location`, as far as it tells of `until`. False if it cannot be
  /// followed.
  bool run(TableBytes code, std::uint64_t location, std::uint64_t until) noexcept {
    while (!code.at_end() && location <= until) {
      const auto byte = code.get<std::uint8_t>();
      const std::uint8_t low = byte & 0x3fU;
      switch (byte >> 6U) {
        case 1:
          location += low * common_.code_unit;
          break;
        case 2:
          save(low, static_cast<std::int64_t>(code.uleb()) * common_.data_unit);
          break;
        case 3:
          restore(low);
          break;
        default:
          if (!run_extended(low, code, location)) {
            return false;
          }
      }
    }
    return code.is_good();
  }

  /// The rules so far are those that the function begins with, and goes back to.
  void begin() noexcept { first_ = rules_; }

 private:
  static constexpr unsigned kDeepest = 4;

  void set(std::uint64_t number, RegisterRule rule) noexcept {
    if (number < kRegisters) {
      rules_.registers[number] = rule;
    }
  }
  void save(std::uint64_t number, std::int64_t offset) noexcept {
    const bool fits = offset == static_cast<std::int32_t>(offset);
    set(number, {fits ? RegisterRule::kAtOffset : RegisterRule::kUnknown, 0,
                 static_cast<std::int32_t>(offset)});
  }
  void restore(std::uint64_t number) noexcept {
    if (number < kRegisters) {
      rules_.registers[number] = first_.registers[number];
    }
  }
  void define_cfa(std::uint64_t base, std::int64_t offset) noexcept {
    rules_.cfa_base =
        base < kRegisters ? static_cast<std::uint8_t>(base) : static_cast<std::uint8_t>(kRegisters);
    rules_.cfa_offset = offset;
    rules_.cfa_is_read = false;
  }

  // Of expressions only a register and an offset, read from there or not: what compilers write
  // where a function aligns its stack.
  static bool read_expression(TableBytes code, std::uint8_t& base, std::int64_t& offset,
                              bool& is_read) noexcept {
    constexpr std::uint8_t kDeref = 0x06;
    constexpr std::uint8_t kBreg0 = 0x70;
    const auto first = code.get<std::uint8_t>();
    if (first < kBreg0 || first >= kBreg0 + kRegisterReturn) {
      return false;
    }
    base = first - kBreg0;
    offset = code.sleb();
    is_read = !code.at_end() && code.get<std::uint8_t>() == kDeref;
    return code.is_good() && code.at_end();
  }

  bool run_extended(std::uint8_t instruction, TableBytes& code, std::uint64_t& location) noexcept;

  const FrameCommon& common_;
  FrameRules& rules_;
  FrameRules first_{};
  FrameRules remembered_[kDeepest];
  unsigned depth_ = 0;
};

}  // namespace ompdm::record
