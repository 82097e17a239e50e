// How to get from a function's frame to that of its caller, by the tables that compilers leave for
// exceptions (.eh_frame: Linux Standard Base Core 5.0, 10.6; DWARF 5, 6.4). Reads the loaded
// modules' tables and nothing else: no lock, no allocation, and no function of the program's.
#pragma once

#include <cstdint>

namespace ompdm::record {

/// DWARF's numbers of the registers of x86-64 that frames are found by, or that functions preserve
/// (System V ABI, AMD64 supplement, figure 3.36).
enum Register : std::uint8_t {
  kRegisterRbx = 3,
  kRegisterRbp = 6,
  kRegisterRsp = 7,
  kRegisterR12 = 12,
  kRegisterR15 = 15,
  kRegisterReturn = 16,
  kRegisters = 17,
};

/// Where a register's value is in the caller.
struct RegisterRule {
  enum Kind : std::uint8_t {
    kSame,      ///< where it was
    kUnknown,   ///< nowhere, or described in a way that is not followed
    kAtOffset,  ///< in memory, `offset` from the canonical frame address
    kAtBase,    ///< in memory, `offset` from what `base` holds in the function
  };
  Kind kind;
  std::uint8_t base;
  std::int32_t offset;
};

struct FrameRules {
  std::uint8_t cfa_base;  ///< register that the canonical frame address is found by
  bool cfa_is_read;       ///< from memory there
  bool is_signal;         ///< a signal came in between: its frame is no call's
  std::int64_t cfa_offset;
  RegisterRule registers[kRegisters];
};

/// The rules at an instruction; false if there are none, or if they are of a kind that no compiler
/// writes for a function's body.
bool frame_rules_at(std::uint64_t instruction, FrameRules& rules) noexcept;

}  // namespace ompdm::record
