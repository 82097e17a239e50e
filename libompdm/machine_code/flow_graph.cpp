#include "machine_code/flow_graph.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

namespace ompdm::trace {

namespace {

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
    constexpr std::pair<x86_reg, x86_reg> kHalves[] = {
        {X86_REG_EDI, X86_REG_RDI},  {X86_REG_ESI, X86_REG_RSI},  {X86_REG_EDX, X86_REG_RDX},
        {X86_REG_ECX, X86_REG_RCX},  {X86_REG_R8D, X86_REG_R8},   {X86_REG_R9D, X86_REG_R9},
        {X86_REG_EBX, X86_REG_RBX},  {X86_REG_EBP, X86_REG_RBP},  {X86_REG_R12D, X86_REG_R12},
        {X86_REG_R13D, X86_REG_R13}, {X86_REG_R14D, X86_REG_R14}, {X86_REG_R15D, X86_REG_R15}};
    const auto* at = std::ranges::find(kHalves, reg, &std::pair<x86_reg, x86_reg>::first);
    return at == std::end(kHalves) ? reg : at->second;
  }

  std::array<std::uint64_t, X86_REG_ENDING> addresses_{};
};

/// kIndirect: by an address in a register or in memory; kIndexed: by an entry of a table.
enum class Flow : std::uint8_t { kOn, kJump, kBranch, kIndirect, kIndexed, kEnd };

struct Instruction {
  std::uint64_t address = 0;
  std::uint64_t next = 0;
  Flow flow = Flow::kOn;
  std::uint64_t target = 0;  // of a jump or branch
  bool calls = false;
  CodeCall call;
  /// What a table of jumps is found by.
  std::uint64_t table = 0;        // an address that it loads relative to its own, or indexes
  std::uint64_t limit = 0;        // 1 + what it compares with
  std::uint64_t subtracted = 0;   // what it takes away, which compares too
  x86_reg sum = X86_REG_INVALID;  // the register that it adds another to, or jumps by
};

class Disassembler {
 public:
  Disassembler() {
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle_) != CS_ERR_OK) return;
    cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
    instruction_ = cs_malloc(handle_);
  }
  ~Disassembler() {
    if (instruction_ != nullptr) cs_free(instruction_, 1);
    if (handle_ != 0) cs_close(&handle_);
  }
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  /// Empty if any of the bytes are no instruction.
  std::vector<Instruction> read(std::span<const std::byte> bytes, std::uint64_t address) const {
    std::vector<Instruction> all;
    if (instruction_ == nullptr) return all;
    const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t left = bytes.size();
    LoadedAddresses loaded;
    while (left > 0) {
      if (!cs_disasm_iter(handle_, &at, &left, &address, instruction_)) return {};
      all.push_back(read_one());
      if (all.back().calls) all.back().call.arguments = loaded.arguments();
      loaded.read(*instruction_, all.back().table);
      // What is not optimized takes away where it compares.
      if (all.back().flow != Flow::kBranch || all.size() < 2) continue;
      Instruction& before = all[all.size() - 2];
      if (before.subtracted != 0) before.limit = before.subtracted + 1;
    }
    return all;
  }

 private:
  [[nodiscard]] Instruction read_one() const {
    const unsigned id = instruction_->id;
    const cs_x86& detail = instruction_->detail->x86;
    const cs_x86_op& first = detail.operands[0];
    const cs_x86_op& second = detail.operands[1];
    const bool has_number = second.type == X86_OP_IMM;
    const auto number = static_cast<std::uint64_t>(second.imm);
    Instruction found;
    found.address = instruction_->address;
    found.next = instruction_->address + instruction_->size;
    found.flow = flow_of(detail);
    if (found.flow == Flow::kJump || found.flow == Flow::kBranch) {
      found.target = static_cast<std::uint64_t>(first.imm);
    }
    found.calls = id == X86_INS_CALL;
    if (found.calls && first.type == X86_OP_IMM) {
      found.call.function = static_cast<std::uint64_t>(first.imm);
    }
    if (found.calls && first.type == X86_OP_MEM && first.mem.base == X86_REG_RIP) {
      found.call.pointer = found.next + static_cast<std::uint64_t>(first.mem.disp);
    }
    if (found.flow == Flow::kIndexed && first.mem.base == X86_REG_INVALID) {
      found.table = static_cast<std::uint64_t>(first.mem.disp);
    }
    const bool adds = id == X86_INS_ADD && second.type == X86_OP_REG;
    if ((adds || found.flow == Flow::kIndirect) && first.type == X86_OP_REG) found.sum = first.reg;
    if (id == X86_INS_LEA && second.mem.base == X86_REG_RIP) {
      found.table = found.next + static_cast<std::uint64_t>(second.mem.disp);
    }
    const bool compares =
        id == X86_INS_CMP && detail.op_count == 2 && has_number && second.imm >= 0;
    // A switch over what a mask leaves compares nothing more.
    const bool masks = id == X86_INS_AND && has_number && std::has_single_bit(number + 1);
    if (compares || masks) found.limit = number + 1;
    if (id == X86_INS_SUB && has_number && second.imm > 0) found.subtracted = number;
    return found;
  }

  [[nodiscard]] Flow flow_of(const cs_x86& detail) const {
    const unsigned id = instruction_->id;
    if (id == X86_INS_UD2 || id == X86_INS_HLT || id == X86_INS_INT3) return Flow::kEnd;
    if (cs_insn_group(handle_, instruction_, CS_GRP_RET)) return Flow::kEnd;
    if (!cs_insn_group(handle_, instruction_, CS_GRP_JUMP)) return Flow::kOn;
    const cs_x86_op& to = detail.operands[0];
    if (detail.op_count == 0) return Flow::kIndirect;
    if (to.type == X86_OP_MEM && to.mem.index != X86_REG_INVALID) return Flow::kIndexed;
    if (to.type != X86_OP_IMM) return Flow::kIndirect;
    return instruction_->id == X86_INS_JMP ? Flow::kJump : Flow::kBranch;
  }

  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

/// What is known of a jump whose target is computed: a table, and how many entries it has.
struct JumpTable {
  std::uint64_t address = 0;
  std::uint64_t count = 0;
  bool is_sum = false;  ///< the target is the sum of the table's address and one of its entries
};

JumpTable table_of(const std::vector<Instruction>& all, std::size_t jump) {
  constexpr std::size_t kNear = 24;
  constexpr std::size_t kNearSum = 4;
  JumpTable table{all[jump].table};
  for (std::size_t back = 1; back <= std::min(jump, kNear); ++back) {
    const Instruction& before = all[jump - back];
    if (back <= kNearSum && before.flow == Flow::kOn && before.sum != X86_REG_INVALID) {
      table.is_sum = table.is_sum || before.sum == all[jump].sum;
    }
    if (table.count != 0) continue;
    if (table.address == 0) table.address = before.table;
    table.count = before.limit;
  }
  return table;
}

/// Where entries of a table lead, all of them into the function; empty if not. Of
/// position-independent code they are 32-bit distances from the table, of others 64-bit addresses.
template <class Entry>
std::vector<std::uint64_t> targets_of(const ModuleCode& code, const CodeRange& function,
                                      const JumpTable& table, std::uint64_t from) {
  constexpr std::uint64_t kMost = 4096;
  if (table.count > kMost) return {};
  const auto bytes = code.bytes(table.address, table.count * sizeof(Entry));
  std::vector<std::uint64_t> targets;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Entry)) {
    Entry entry{};
    std::memcpy(&entry, bytes.data() + at, sizeof(entry));
    const std::uint64_t target = from + static_cast<std::uint64_t>(std::int64_t{entry});
    if (target < function.begin || target >= function.end) return {};
    targets.push_back(target);
  }
  return targets;
}

struct Ways {
  std::vector<std::vector<std::uint64_t>> of;  // by instruction: where its jumps lead
  std::set<std::uint64_t> begins;              // of blocks
};

/// None where a jump's targets are not known.
std::optional<Ways> ways_of(const ModuleCode& code, const CodeRange& function,
                            const std::vector<Instruction>& all) {
  Ways ways;
  ways.of.resize(all.size());
  ways.begins.insert(function.begin);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Instruction& one = all[i];
    if (one.flow == Flow::kOn) continue;
    ways.begins.insert(one.next);
    const JumpTable table = table_of(all, i);
    // Another computed target is a function.
    const bool is_sum = one.flow == Flow::kIndirect && table.is_sum;
    if (one.flow == Flow::kIndexed || is_sum) {
      ways.of[i] = is_sum ? targets_of<std::int32_t>(code, function, table, table.address)
                          : targets_of<std::int64_t>(code, function, table, 0);
      if (ways.of[i].empty()) return std::nullopt;
    } else if (one.target >= function.begin && one.target < function.end) {
      ways.of[i] = {one.target};
    }
    // What leads elsewhere, another function goes on with, and returns for this one.
    ways.begins.insert(ways.of[i].begin(), ways.of[i].end());
  }
  return ways;
}

}  // namespace

std::optional<FlowGraph> read_flow(const ModuleCode& code, const CodeRange& function) {
  const Disassembler disassembler;
  const auto all =
      disassembler.read(code.bytes(function.begin, function.end - function.begin), function.begin);
  if (all.empty()) return std::nullopt;
  const std::optional<Ways> ways = ways_of(code, function, all);
  if (!ways) return std::nullopt;
  FlowGraph graph;
  for (const Instruction& one : all) {
    if (one.calls) graph.calls[one.next] = one.call;
    if (ways->begins.contains(one.address)) graph.begins.push_back(one.address);
  }
  graph.lasts.resize(graph.begins.size());
  graph.successors.resize(graph.begins.size());
  graph.tail_calls.resize(graph.begins.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool ends_block = i + 1 == all.size() || ways->begins.contains(all[i].next);
    if (!ends_block) continue;
    const std::uint32_t block = graph.block_at(all[i].address);
    graph.lasts[block] = all[i].address;
    auto& next = graph.successors[block];
    if (all[i].flow == Flow::kJump && ways->of[i].empty()) graph.tail_calls[block] = all[i].target;
    for (const std::uint64_t target : ways->of[i]) {
      const std::uint32_t to = graph.block_at(target);
      if (graph.begins[to] != target) return std::nullopt;  // into the midst of an instruction
      next.push_back(to);
    }
    const bool goes_on = all[i].flow == Flow::kOn || all[i].flow == Flow::kBranch;
    if (goes_on && i + 1 < all.size()) next.push_back(block + 1);
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
  return graph;
}

}  // namespace ompdm::trace
