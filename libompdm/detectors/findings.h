// What detectors share: the evidence that they read, the candidates that they make, and comparisons
// of contents. Every candidate is about this run. Inside the analysis library only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "analysis/order.h"
#include "analysis/tables.h"
#include "detectors/accesses.h"
#include "detectors/contents.h"
#include "detectors/loops.h"
#include "detectors/mappings.h"
#include "detectors/presence.h"

namespace ompdm::analysis {

/// A trace and the indexes of it that detectors read.
struct Evidence {
  const Trace& trace;
  const DirectiveTable& directives;
  const LoopTable& loops;
  Mappings mappings{trace};
  Presence presence{mappings};
  mutable KernelWrites kernels{trace};  ///< caches its answers
  Contents contents{trace, mappings, kernels};
  EnclosingLoops enclosing{loops};
  IdleDirectives idle_directives{trace, presence};
  Namings namings{trace};

  [[nodiscard]] const Mapping& mapping(std::size_t number) const { return mappings.rows()[number]; }

  /// As Mappings::transfers.
  [[nodiscard]] std::span<const std::uint32_t> transfers(std::size_t mapping) const {
    return mappings.transfers(mapping);
  }

  /// Whether an operation (position in Trace::ops) is a transfer from the host to a device.
  [[nodiscard]] bool is_send(std::uint32_t op) const {
    return trace.ops.common(op).kind == OpKind::kHtoD;
  }

  /// The entry into the innermost loop around an operation (position in Trace::ops) and the time
  /// until `end`; null: none (EnclosingLoops::innermost).
  [[nodiscard]] const EnclosingEntry* entry_around(std::uint32_t op, Nanoseconds end) const {
    const Asker asked = asker_of(trace, op);
    return enclosing.innermost(asked.thread, asked.time, end);
  }
  [[nodiscard]] const EnclosingEntry* entry_around(std::uint32_t op) const {
    return entry_around(op, trace.ops.end_of(op));
  }

  /// The row of the directive that made an operation.
  [[nodiscard]] std::uint32_t row_of_op(std::uint32_t op) const {
    return row_of(directives, trace.ops.common(op).site);
  }
};

/// Why an operation is redundant: another one takes place.
struct Dependence {
  std::uint32_t op = 0;  ///< position in Trace::ops
  /// the other operation; Index<DataOp>::kNone: the effect exists without any
  std::uint32_t on = 0;
};

/// An item of a directive's map clauses: the row of the directive, and the item's expression.
using Clause = std::pair<std::uint32_t, std::string>;

/// Whether a candidate made so far would remove an operation, by position in Trace::ops.
using Removed = std::vector<bool>;

/// A finding, and the operations (positions in Trace::ops) that its edits would remove. If the
/// edits remove no operation: the operations that the finding is about.
struct Candidate {
  Finding finding;
  std::vector<std::uint32_t> ops;
  /// For each of `ops` whose effect remains after the edits. Without an entry the effect is lost
  /// with the operation.
  std::vector<Dependence> depends_on;
  /// Positions in Trace::ops of transfers to the device that must take place, since they show the
  /// content of the host's copy.
  std::vector<std::uint32_t> sends;
  /// Positions in Trace::ops of transfers whose items must remain mapped as they are.
  std::vector<std::uint32_t> needed;
  std::vector<Residency> residencies;  ///< data that its edits keep on a device
  bool carries_all = false;            ///< other operations carry the bytes of `ops`
  bool spares_none = false;            ///< `ops` could be fewer; how many is not known
  bool host_copy_stale = false;  ///< the host's copy lacks a kernel's writes during the residency
  /// Copies back that the edits also remove, if the host reads the data only after the last of
  /// them. Each depends on that last copy.
  std::vector<Dependence> unread;
  /// Spans (begin, end) in which another use of the data would contradict the finding.
  std::vector<std::pair<Nanoseconds, Nanoseconds>> spans;
  /// Conditions of Finding::withheld_edits.
  std::vector<Unless> withheld_unless;
  /// If other directives map its data in between, they copy the kernels' writes back.
  bool others_bring_back = false;
  /// The candidate rests on one directive alone.
  bool stands_alone = false;
  /// The source refutes the candidate, whatever the run shows. It is reported as refuted, not as a
  /// finding.
  bool is_refuted = false;

  /// Adds a caveat, which makes the finding `possible` only.
  void add_caveat(Caveat::Kind unknown, std::vector<std::string> names = {}) {
    finding.confidence = Confidence::kPossible;
    const bool is_known = std::ranges::any_of(
        finding.caveats, [&](const Caveat& one) { return one.kind == unknown; });
    if (!is_known) finding.caveats.push_back({unknown, std::move(names)});
  }
};

/// Resolves a candidate's conditions by the sources' answers (Trace::host_facts). Removes
/// conditions that cannot come true, and caveats that the source rules out. Adds unanswered
/// questions to `questions`. Returns false if the source shows that the program needs the
/// operations that were redundant in this run.
bool take_source_answers(const Trace& trace, Candidate& candidate,
                         std::vector<SourceQuestion>& questions);

/// Adds to `questions` what overwritten_transfer and unread_copy_back need to know. One question is
/// whether a kernel reads sent data before it is overwritten; transfers in `removed` are left out.
/// The other is whether the host reads data that is copied back.
void ask_one_way(const Evidence& evidence, const Removed& removed,
                 std::vector<SourceQuestion>& questions);

/// See looped_updates.cpp.
std::vector<Candidate> looped_updates(const Evidence& evidence,
                                      std::vector<SourceQuestion>& questions);

/// The source's answers on a mapping's data for all code after its directive
/// (HostStretch::Kind::kRest); null: there are none.
const HostFact* fact_of_rest(const Trace& trace, const Mapping& mapping);

/// Whether the source shows that the host does not use the data of the copies in Candidate::unread.
bool is_left_unread(const Trace& trace, Candidate candidate);

/// If the source shows that the host does not use the data meanwhile, adds the operations of
/// Candidate::unread to Candidate::ops. Operations in `removed` are left out; the added ones are
/// marked there.
void take_unread(const Trace& trace, Candidate& candidate, Removed& removed);

/// Data up to this many bytes is like an argument of a launch: a transfer of it with each launch is
/// not worth reporting. mapped_scalars sums up such transfers. Kernel arguments may take 4 KB (CUDA
/// C++ Programming Guide, "Function Parameters"). This limit is far less, so that it admits only
/// scalars and small structs.
inline constexpr std::uint64_t kRidesAlong = 256;

/// Fewer small transfers than this are not worth reporting.
inline constexpr std::uint64_t kLeastTransfers = 32;

/// A detector makes candidates of one pattern from the evidence. `removed` has the operations of
/// the candidates made so far. Each detector is defined in a file of this folder. The comment
/// before it says which operations it takes and which it leaves out. find.cpp has the list of
/// detectors.
using Detector = std::vector<Candidate>(const Evidence& evidence, const Removed& removed);

/// A pattern that held in this many executions of a directive is assumed for the others.
inline constexpr std::uint64_t kEnoughSamples = 10;

/// Transfers of one item by one directive, each with the transfer that it is compared with.
struct ItemTransfers {
  struct Pair {
    std::uint32_t op = 0;       ///< position in Trace::ops
    std::uint32_t earlier = 0;  ///< the transfer that carried the same content, or may have
    Same how = Same::kUnknown;
  };
  std::vector<Pair> same;     ///< carried the content that was there already
  std::vector<Pair> unknown;  ///< one of the two contents was not hashed
  std::uint64_t different = 0;
  std::uint64_t other = 0;    ///< had no earlier transfer to compare with
  std::uint64_t in_full = 0;  ///< of `same`: all bytes were compared, not only blocks of them

  /// Adds a transfer by its comparison. Equal trivial contents are in none of these.
  void add(std::uint32_t op, const Earlier& earlier);
};

/// Comparisons in their order, some of all bytes, the others of sampled blocks. A change between
/// the blocks shows in the next comparison of all bytes.
class Comparisons {
 public:
  /// Adds `count` comparisons. `in_full`: the position among them, from 1, of the last comparison
  /// of all bytes; 0: there is none.
  void add(std::uint64_t count, std::uint64_t in_full) {
    if (in_full > 0) last_in_full_ = count_ + in_full;
    count_ += count;
  }
  /// Whether comparisons of all bytes cover enough of the sequence. The recorder makes them at
  /// growing distances.
  [[nodiscard]] bool are_backed() const { return kSpread * last_in_full_ >= count_; }

 private:
  /// The next comparison of all bytes comes before the number of comparisons is four times as
  /// large.
  static constexpr std::uint64_t kSpread = 4;
  std::uint64_t count_ = 0;
  std::uint64_t last_in_full_ = 0;
};

using TransfersByItem = std::map<Clause, ItemTransfers>;

/// Whether detectors that compare contents consider a transfer. It belongs to a mapping, is larger
/// than kRidesAlong, and no deferred task made it (is_of_deferred_task).
bool is_judged(const Evidence& evidence, std::uint32_t op);

/// The directive and the item that such a transfer belongs to.
Clause clause_of(const Evidence& evidence, std::uint32_t op);

/// Several items of one directive that the same edit concerns, from which a candidate is made.
struct ContentCandidate {
  Candidate candidate;
  UniqueTexts names;
  std::vector<std::string> expressions;  ///< one for each item of the directive
  /// redundant transfers, each with the transfer that makes it so
  std::vector<ItemTransfers::Pair> pairs;
  facts::SameContents same;

  /// Adds the redundant transfers of an item, unless `removed` has half of them or more. Redundant
  /// are transfers that carried the same content. If at most a tenth as many differed, transfers
  /// that were not compared are added, too.
  void take(const Evidence& evidence, const std::string& expression, const ItemTransfers& transfers,
            const Removed& removed);
  [[nodiscard]] bool empty() const { return pairs.empty(); }

  /// Adds the items and transfers of another one.
  void join(const ContentCandidate& other);

  /// The candidate, with all but facts and edits filled in. A candidate that rests on values alone
  /// is never certain. Its confidence is kPossible if few samples were compared, or if the last
  /// comparisons of some storage were of blocks.
  Candidate finish(const Evidence& evidence, const char* pattern);
};

/// Fills pattern, file and line of a candidate.
void place(Candidate& candidate, const char* pattern, const Trace& trace, Index<Site> site);

/// Fills the confidence, the names of the data, and the number of operations, all of which were
/// examined.
void describe(Candidate& candidate, std::uint64_t count, Confidence confidence,
              const std::vector<std::string>& names = {});

/// Sorts the candidate's operations, and fills their bytes, time, number and kind in its finding.
void sum_up(Candidate& candidate, const Trace& trace);

/// Whether the source shows that a kernel writes a mapping's data, and the mapping is never copied
/// back. Then the host's copy must be sent again before it is used. `mapping`: position in
/// Evidence::mappings.
bool is_spoilt(const Evidence& evidence, std::uint32_t mapping);

/// Whether a `nowait` directive made an operation.
bool is_deferred(const Trace& trace, std::uint32_t op);

/// Whether a `nowait` directive without a kernel made an operation. Such an operation runs at an
/// unknown time after the directive. So its position among others tells nothing of the program's
/// order.
bool is_of_deferred_task(const Trace& trace, std::uint32_t op);

/// The times of the run without the candidates' operations, each left out once. None if transfers
/// were not recorded, or if the duration of one is not known.
std::optional<Prediction> predict(const Trace& trace, std::span<const Candidate> candidates);

/// Fills in the detectors' results: findings, doubts and predictions. Variables of findings are
/// positions in Trace::variables. Returns by position in Trace::ops the first finding that has the
/// operation; Picture::kNone: none has it.
std::vector<std::uint32_t> find_redundant(const Trace& trace, const DirectiveTable& directives,
                                          const LoopTable& loops, Analysis& analysis);

}  // namespace ompdm::analysis
