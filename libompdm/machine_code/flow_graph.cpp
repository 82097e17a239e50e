#include "machine_code/flow_graph.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

namespace ompdm::trace {

LoopNest::LoopNest(const BlockGraph& graph)
    : graph_(graph),
      order_(graph.size(), kNoLoop),
      innermost_(graph.size(), kNoLoop),
      in_other_cycle_(graph.size()) {
  if (graph.empty()) return;
  number_blocks();
  find_dominators();
  find_loops();
  nest_loops();
  find_other_cycles();
}

void LoopNest::number_blocks() {
  std::vector<std::pair<std::uint32_t, std::size_t>> path = {{0, 0}};
  std::vector<bool> seen(graph_.size());
  seen[0] = true;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == graph_[block].size()) {
      sorted_.push_back(block);
      path.pop_back();
      continue;
    }
    const std::uint32_t to = graph_[block][next++];
    if (!seen[to]) {
      seen[to] = true;
      path.emplace_back(to, 0);
    }
  }
  std::ranges::reverse(sorted_);
  for (std::uint32_t i = 0; i < sorted_.size(); ++i) order_[sorted_[i]] = i;
  before_.resize(graph_.size());
  for (const std::uint32_t block : sorted_) {
    for (const std::uint32_t to : graph_[block]) before_[to].push_back(block);
  }
}

// Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001).
void LoopNest::find_dominators() {
  dominator_.assign(graph_.size(), kNoLoop);
  dominator_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : sorted_) {
      if (block == 0) continue;
      std::uint32_t found = kNoLoop;
      for (std::uint32_t from : before_[block]) {
        if (dominator_[from] == kNoLoop) continue;
        if (found == kNoLoop) {
          found = from;
          continue;
        }
        while (from != found) {
          while (order_[from] > order_[found]) from = dominator_[from];
          while (order_[found] > order_[from]) found = dominator_[found];
        }
      }
      changed = changed || dominator_[block] != found;
      dominator_[block] = found;
    }
  }
}

bool LoopNest::dominates(std::uint32_t above, std::uint32_t block) const {
  while (order_[block] > order_[above]) block = dominator_[block];
  return block == above;
}

// One a header, in the order of headers: outer loops come before their inner ones.
void LoopNest::find_loops() {
  for (const std::uint32_t header : sorted_) {
    NaturalLoop loop;
    loop.header = header;
    for (const std::uint32_t from : before_[header]) {
      if (order_[from] < order_[header]) continue;
      if (dominates(header, from)) loop.latches.push_back(from);
    }
    if (loop.latches.empty()) continue;
    std::vector<bool> in =
        blocks_behind(before_, loop.latches,
                      [header](std::uint32_t block, std::uint32_t) { return block != header; });
    in[header] = true;
    for (const std::uint32_t latch : loop.latches) in[latch] = true;
    for (std::uint32_t block = 0; block < graph_.size(); ++block) {
      if (in[block]) loop.blocks.push_back(block);
    }
    loops_.push_back(std::move(loop));
  }
}

void LoopNest::nest_loops() {
  for (std::uint32_t i = 0; i < loops_.size(); ++i) {
    loops_[i].parent = innermost_[loops_[i].header];
    for (const std::uint32_t block : loops_[i].blocks) innermost_[block] = i;
  }
}

// An edge that leads back to a block which other ways go around closes a cycle without a header:
// what lies between the two within a pass of the innermost loop around both.
void LoopNest::find_other_cycles() {
  for (const std::uint32_t entry : sorted_) {
    for (const std::uint32_t from : before_[entry]) {
      if (order_[from] < order_[entry] || dominates(entry, from)) continue;
      const std::uint32_t around = common(innermost_[from], innermost_[entry]);
      const std::vector<bool> after = in_pass(graph_, entry, around);
      const std::vector<bool> before = in_pass(before_, from, around);
      for (std::uint32_t block = 0; block < graph_.size(); ++block) {
        if (after[block] && before[block] && innermost_[block] == around) {
          in_other_cycle_[block] = true;
        }
      }
    }
  }
}

bool LoopNest::contains(std::uint32_t loop, std::uint32_t block) const {
  return loop == kNoLoop || std::ranges::binary_search(loops_[loop].blocks, block);
}

bool LoopNest::is_joined(std::uint32_t loop, std::vector<std::uint32_t> blocks) const {
  const std::vector<bool> found =
      blocks_behind(graph_, std::move(blocks),
                    [this](std::uint32_t block, std::uint32_t) { return !reached(block); });
  return std::ranges::any_of(loops_[loop].blocks,
                             [&](std::uint32_t block) { return found[block]; });
}

std::uint32_t LoopNest::common(std::uint32_t loop, std::uint32_t other) const {
  while (loop != kNoLoop && !(other != kNoLoop && contains(loop, loops_[other].header))) {
    loop = loops_[loop].parent;
  }
  return loop;
}

std::vector<bool> LoopNest::onward(std::uint32_t block, std::uint32_t loop) const {
  return in_pass(graph_, block, loop);
}

/// The blocks that `ways` lead to from the block before the iteration ends; the block itself where
/// they lead back to it.
std::vector<bool> LoopNest::in_pass(const BlockGraph& ways, std::uint32_t block,
                                    std::uint32_t loop) const {
  return blocks_behind(ways, {block}, [&](std::uint32_t, std::uint32_t to) {
    return contains(loop, to) && (loop == kNoLoop || to != loops_[loop].header);
  });
}

std::vector<bool> LoopNest::until(const std::vector<bool>& marked, std::uint32_t loop) const {
  const std::uint32_t entry = loop == kNoLoop ? 0 : loops_[loop].header;
  std::vector<bool> found = blocks_behind(
      graph_, {entry},
      [&](std::uint32_t block, std::uint32_t to) { return !marked[block] && contains(loop, to); });
  found[entry] = true;
  return found;
}

std::vector<bool> LoopNest::since(const std::vector<bool>& marked, std::uint32_t loop) const {
  std::vector<std::uint32_t> ends;
  if (loop != kNoLoop) {
    ends = loops_[loop].latches;
  } else {
    std::ranges::copy_if(sorted_, std::back_inserter(ends),
                         [this](std::uint32_t block) { return graph_[block].empty(); });
  }
  std::vector<bool> found =
      blocks_behind(before_, ends, [&](std::uint32_t block, std::uint32_t to) {
        const bool begins_iteration = loop != kNoLoop && block == loops_[loop].header;
        return !marked[block] && !begins_iteration && contains(loop, to);
      });
  for (const std::uint32_t end : ends) found[end] = true;
  return found;
}

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
