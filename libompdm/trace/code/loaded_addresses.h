// What functions are called with, as far as a look at the instructions above tells. Of the flow
// graph alone.
#pragma once

#include <capstone/capstone.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/code/flow_graph.h"

namespace ompdm::trace {

/// Addresses that instructions put into registers, in the order in which they stand. What lies
/// between branches is not told apart: who uses this looks at what is there.
class LoadedAddresses {
 public:
  /// What is handed over from there on (System V ABI 3.2.3); 0: not known.
  [[nodiscard]] std::array<std::uint64_t, kKnownArguments> arguments() const {
    std::array<std::uint64_t, kKnownArguments> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = addresses_[kArguments[i]];
    return all;
  }

  void read(const cs_insn& instruction, std::uint64_t table) {
    const cs_x86& detail = instruction.detail->x86;
    const cs_x86_op& to = detail.operands[0];
    if (instruction.id == X86_INS_CALL) {
      for (const x86_reg argument : kArguments) addresses_[argument] = 0;
    }
    if (detail.op_count != 2 || to.type != X86_OP_REG) return;
    const cs_x86_op& from = detail.operands[1];
    const x86_reg reg = whole(to.reg);
    if (instruction.id == X86_INS_LEA && table != 0) {
      addresses_[reg] = table;
    } else if (instruction.id == X86_INS_MOV && from.type == X86_OP_IMM && from.imm > 0) {
      addresses_[reg] = static_cast<std::uint64_t>(from.imm);
    } else if (is_argument(reg) && (to.access & CS_AC_WRITE) != 0) {
      const bool is_copy = instruction.id == X86_INS_MOV && from.type == X86_OP_REG;
      addresses_[reg] = is_copy ? addresses_[from.reg] : 0;
    }
  }

 private:
  static constexpr std::array<x86_reg, kKnownArguments> kArguments = {
      X86_REG_RDI, X86_REG_RSI, X86_REG_RDX, X86_REG_RCX, X86_REG_R8, X86_REG_R9};

  static bool is_argument(x86_reg reg) {
    return std::ranges::find(kArguments, reg) != kArguments.end();
  }

  /// Code at fixed addresses, which are low, loads them by halves of registers.
  static x86_reg whole(x86_reg reg) {
    switch (reg) {
      case X86_REG_EDI:
        return X86_REG_RDI;
      case X86_REG_ESI:
        return X86_REG_RSI;
      case X86_REG_EDX:
        return X86_REG_RDX;
      case X86_REG_ECX:
        return X86_REG_RCX;
      case X86_REG_R8D:
        return X86_REG_R8;
      case X86_REG_R9D:
        return X86_REG_R9;
      case X86_REG_EBX:
        return X86_REG_RBX;
      case X86_REG_EBP:
        return X86_REG_RBP;
      case X86_REG_R12D:
        return X86_REG_R12;
      case X86_REG_R13D:
        return X86_REG_R13;
      case X86_REG_R14D:
        return X86_REG_R14;
      case X86_REG_R15D:
        return X86_REG_R15;
      default:
        return reg;
    }
  }

  std::array<std::uint64_t, X86_REG_ENDING> addresses_{};
};

}  // namespace ompdm::trace
