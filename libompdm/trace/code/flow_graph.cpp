#include "trace/code/flow_graph.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <set>

#include "trace/code/loaded_addresses.h"

namespace ompdm::trace {
namespace {

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
  [[nodiscard]] Instruction read_one() const;
  [[nodiscard]] Flow flow_of(const cs_x86& detail) const;

  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

Flow Disassembler::flow_of(const cs_x86& detail) const {
  switch (instruction_->id) {
    case X86_INS_UD2:
    case X86_INS_HLT:
    case X86_INS_INT3:
      return Flow::kEnd;
    default:
      break;
  }
  if (cs_insn_group(handle_, instruction_, CS_GRP_RET)) return Flow::kEnd;
  if (!cs_insn_group(handle_, instruction_, CS_GRP_JUMP)) return Flow::kOn;
  const cs_x86_op& to = detail.operands[0];
  if (detail.op_count == 0) return Flow::kIndirect;
  if (to.type == X86_OP_MEM && to.mem.index != X86_REG_INVALID) return Flow::kIndexed;
  if (to.type != X86_OP_IMM) return Flow::kIndirect;
  return instruction_->id == X86_INS_JMP ? Flow::kJump : Flow::kBranch;
}

Instruction Disassembler::read_one() const {
  const cs_x86& detail = instruction_->detail->x86;
  Instruction found;
  found.address = instruction_->address;
  found.next = instruction_->address + instruction_->size;
  found.flow = flow_of(detail);
  if (found.flow == Flow::kJump || found.flow == Flow::kBranch) {
    found.target = static_cast<std::uint64_t>(detail.operands[0].imm);
  }
  found.calls = instruction_->id == X86_INS_CALL;
  if (found.calls) {
    const cs_x86_op& called = detail.operands[0];
    if (called.type == X86_OP_IMM) found.call.function = static_cast<std::uint64_t>(called.imm);
    if (called.type == X86_OP_MEM && called.mem.base == X86_REG_RIP) {
      found.call.pointer = found.next + static_cast<std::uint64_t>(called.mem.disp);
    }
  }
  if (found.flow == Flow::kIndexed && detail.operands[0].mem.base == X86_REG_INVALID) {
    found.table = static_cast<std::uint64_t>(detail.operands[0].mem.disp);
  }
  const bool adds = instruction_->id == X86_INS_ADD && detail.operands[1].type == X86_OP_REG;
  if ((adds || found.flow == Flow::kIndirect) && detail.operands[0].type == X86_OP_REG) {
    found.sum = detail.operands[0].reg;
  }
  if (instruction_->id == X86_INS_LEA && detail.operands[1].mem.base == X86_REG_RIP) {
    found.table = found.next + static_cast<std::uint64_t>(detail.operands[1].mem.disp);
  }
  if (instruction_->id == X86_INS_CMP && detail.op_count == 2 &&
      detail.operands[1].type == X86_OP_IMM && detail.operands[1].imm >= 0) {
    found.limit = static_cast<std::uint64_t>(detail.operands[1].imm) + 1;
  }
  // A switch over what a mask leaves asks nothing more.
  if (instruction_->id == X86_INS_AND && detail.operands[1].type == X86_OP_IMM &&
      std::has_single_bit(static_cast<std::uint64_t>(detail.operands[1].imm) + 1)) {
    found.limit = static_cast<std::uint64_t>(detail.operands[1].imm) + 1;
  }
  if (instruction_->id == X86_INS_SUB && detail.operands[1].type == X86_OP_IMM &&
      detail.operands[1].imm > 0) {
    found.subtracted = static_cast<std::uint64_t>(detail.operands[1].imm);
  }
  return found;
}

/// What is known of a jump whose target is computed: a table, and how many entries it has.
struct JumpTable {
  std::uint64_t address = 0;
  std::uint64_t count = 0;
};

/// Whether a computed target is the sum of a table's address and one of its entries, and no
/// function.
bool is_sum(const std::vector<Instruction>& all, std::size_t jump) {
  constexpr std::size_t kNear = 4;
  for (std::size_t back = 1; back <= std::min(jump, kNear); ++back) {
    const Instruction& before = all[jump - back];
    if (before.flow == Flow::kOn && before.sum != X86_REG_INVALID && before.sum == all[jump].sum) {
      return true;
    }
  }
  return false;
}

JumpTable table_of(const std::vector<Instruction>& all, std::size_t jump) {
  constexpr std::size_t kNear = 24;
  JumpTable table{all[jump].table, 0};
  for (std::size_t back = 1; back <= std::min(jump, kNear) && table.count == 0; ++back) {
    const Instruction& before = all[jump - back];
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
  bool known = true;
};

Ways ways_of(const ModuleCode& code, const CodeRange& function,
             const std::vector<Instruction>& all) {
  Ways ways;
  ways.of.resize(all.size());
  ways.begins.insert(function.begin);
  for (std::size_t i = 0; i < all.size() && ways.known; ++i) {
    const Instruction& one = all[i];
    if (one.flow == Flow::kOn) continue;
    ways.begins.insert(one.next);
    const JumpTable table = table_of(all, i);
    if (one.flow == Flow::kIndexed) {
      ways.of[i] = targets_of<std::int64_t>(code, function, table, 0);
      ways.known = !ways.of[i].empty();
    } else if (one.flow == Flow::kIndirect && is_sum(all, i)) {
      ways.of[i] = targets_of<std::int32_t>(code, function, table, table.address);
      ways.known = !ways.of[i].empty();
    } else if (one.target >= function.begin && one.target < function.end) {
      ways.of[i] = {one.target};
    }
    // What leads elsewhere, another function goes on with, and returns for this one.
    ways.begins.insert(ways.of[i].begin(), ways.of[i].end());
  }
  return ways;
}

}  // namespace

std::uint32_t FlowGraph::block_at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(begins, address);
  return static_cast<std::uint32_t>(after - begins.begin()) - (after == begins.begin() ? 0 : 1);
}

std::optional<FlowGraph> read_flow(const ModuleCode& code, const CodeRange& function) {
  const Disassembler disassembler;
  const auto all =
      disassembler.read(code.bytes(function.begin, function.end - function.begin), function.begin);
  if (all.empty()) return std::nullopt;
  const Ways ways = ways_of(code, function, all);
  if (!ways.known) return std::nullopt;
  FlowGraph graph;
  for (const Instruction& one : all) {
    if (one.calls) graph.calls[one.next] = one.call;
    if (!ways.begins.contains(one.address)) continue;
    graph.begins.push_back(one.address);
  }
  graph.lasts.resize(graph.begins.size());
  graph.successors.resize(graph.begins.size());
  graph.tail_calls.resize(graph.begins.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool ends_block = i + 1 == all.size() || ways.begins.contains(all[i].next);
    if (!ends_block) continue;
    const std::uint32_t block = graph.block_at(all[i].address);
    graph.lasts[block] = all[i].address;
    auto& next = graph.successors[block];
    if (all[i].flow == Flow::kJump && ways.of[i].empty()) graph.tail_calls[block] = all[i].target;
    for (const std::uint64_t target : ways.of[i]) {
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
