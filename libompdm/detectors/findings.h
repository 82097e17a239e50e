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
  mutable KernelWrites kernels{trace};  ///< it remembers what it was asked
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

  /// The entry into the innermost loop around an operation (position in Trace::ops) and all until
  /// `end`, as EnclosingLoops::innermost has it.
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
  std::uint32_t on = 0;  ///< the other; Index<DataOp>::kNone: its effect is there without any
};

/// An item of a directive's map clauses: the row of the directive, and the item's expression.
using Clause = std::pair<std::uint32_t, std::string>;

/// Whether a candidate made so far would remove an operation, by position in Trace::ops.
using Removed = std::vector<bool>;

/// A finding, and the operations (positions in Trace::ops) that its edits would remove; where they
/// would remove none, the operations that the finding is about.
struct Candidate {
  Finding finding;
  std::vector<std::uint32_t> ops;
  /// For each of `ops` whose effect remains. Without an entry the effect is lost with the
  /// operation.
  std::vector<Dependence> depends_on;
  /// Transfers to the device that have to take place, since they show what the host has: positions
  /// in Trace::ops.
  std::vector<std::uint32_t> sends;
  /// Transfers whose items must stay mapped as they are: positions in Trace::ops.
  std::vector<std::uint32_t> needed;
  std::vector<Residency> residencies;  ///< data that its edits keep on a device
  bool carries_all = false;            ///< other operations carry the bytes of `ops`
  bool spares_none = false;            ///< `ops` could be fewer; how many is not known
  bool host_copy_stale = false;  ///< while the data stays the host's copy lacks what a kernel wrote
  /// Copies back that the edits remove, too, where the host reads the data only after the last of
  /// them: each with that last one.
  std::vector<Dependence> unread;
  /// Times in which another use of the data would speak against the finding.
  std::vector<std::pair<Nanoseconds, Nanoseconds>> spans;
  /// Conditions of Finding::withheld_edits.
  std::vector<Unless> withheld_unless;
  /// Other directives that map its data in between bring back what kernels write there.
  bool others_bring_back = false;
  /// It rests on one directive alone.
  bool stands_alone = false;
  /// What the source shows to be so, whatever the run shows: it is no finding, and told as such.
  bool is_refuted = false;

  /// Adds an unknown fact, which makes the finding possible only.
  void add_caveat(Caveat::Kind unknown, std::vector<std::string> names = {}) {
    finding.confidence = Confidence::kPossible;
    const bool is_known = std::ranges::any_of(
        finding.caveats, [&](const Caveat& one) { return one.kind == unknown; });
    if (!is_known) finding.caveats.push_back({unknown, std::move(names)});
  }
};

/// Settles a candidate's conditions by what the sources answer (Trace::host_facts): a condition
/// that cannot come true is taken away, and so are caveats on what the source is certain of. Adds
/// to `questions` what was not answered yet. Returns false where the source shows that the program
/// needs what was redundant in this run.
bool take_source_answers(const Trace& trace, Candidate& candidate,
                         std::vector<SourceQuestion>& questions);

/// Adds to `questions` what the sources would have to say of transfers that `removed` does not
/// have: whether a kernel reads what was sent before it is overwritten, and whether the host reads
/// what came back.
void ask_one_way(const Evidence& evidence, const Removed& removed,
                 std::vector<SourceQuestion>& questions);

/// See looped_updates.cpp.
std::vector<Candidate> looped_updates(const Evidence& evidence,
                                      std::vector<SourceQuestion>& questions);

/// What the source says of a mapping's data from its directive on; null: nothing.
const HostFact* fact_of_rest(const Trace& trace, const Mapping& mapping);

/// Whether the source shows that the host does not use what Candidate::unread brings back.
bool is_left_unread(const Trace& trace, Candidate candidate);

/// Adds Candidate::unread to what a candidate's edits remove, but for what `removed` has, where the
/// source shows that the host does not read the data meanwhile.
void take_unread(const Trace& trace, Candidate& candidate, Removed& removed);

/// Data up to this size is like an argument of a launch: its transfer with each launch is not worth
/// a line (but mapped_scalars adds such transfers up). Arguments may take 4 KB (CUDA C++
/// Programming Guide, "Function Parameters"); this is far less, so that only scalars and small
/// structs pass.
inline constexpr std::uint64_t kRidesAlong = 256;

/// Fewer small transfers than this are not worth a line.
inline constexpr std::uint64_t kLeastTransfers = 32;

/// A detector: from the evidence to candidates of one pattern, beside what candidates made so far
/// have. Each is defined in a file of this folder, with a comment that says what it takes and what
/// it leaves out; find.cpp has the list of them.
using Detector = std::vector<Candidate>(const Evidence& evidence, const Removed& removed);

/// A pattern that held in this many of a directive's instances is taken to hold in the others.
inline constexpr std::uint64_t kEnoughSamples = 10;

/// Transfers of one item by one directive, each with the one that it is compared to.
struct ItemTransfers {
  struct Pair {
    std::uint32_t op = 0;       ///< position in Trace::ops
    std::uint32_t earlier = 0;  ///< what carried the same, or may have
    Same how = Same::kUnknown;
  };
  std::vector<Pair> same;     ///< carried the content that was there already
  std::vector<Pair> unknown;  ///< one of the two contents was not hashed
  std::uint64_t different = 0;
  std::uint64_t other = 0;    ///< had no transfer before them to compare with
  std::uint64_t in_full = 0;  ///< of `same`: all bytes were compared, not only blocks of them

  /// Adds a transfer by its comparison; trivial contents are in none of these.
  void add(std::uint32_t op, const Earlier& earlier);
};

/// Comparisons in their order, some of all bytes, the others of blocks: a change between the blocks
/// shows in the next comparison of all bytes.
class Comparisons {
 public:
  /// Adds `count` of them, the last `in_full` of which was this one of them; 0: none.
  void add(std::uint64_t count, std::uint64_t in_full) {
    if (in_full > 0) last_in_full_ = count_ + in_full;
    count_ += count;
  }
  /// Whether those of all bytes reach far enough: the recorder makes them at ever larger distances.
  [[nodiscard]] bool are_backed() const { return kSpread * last_in_full_ >= count_; }

 private:
  /// Each comes before there are four times as many.
  static constexpr std::uint64_t kSpread = 4;
  std::uint64_t count_ = 0;
  std::uint64_t last_in_full_ = 0;
};

using TransfersByItem = std::map<Clause, ItemTransfers>;

/// Whether detectors that compare contents judge a transfer: it is of a mapping, larger than
/// kRidesAlong, and in its place in the program's order (is_of_deferred_task).
bool is_judged(const Evidence& evidence, std::uint32_t op);

/// The directive and the item that a judged transfer belongs to.
Clause clause_of(const Evidence& evidence, std::uint32_t op);

/// Several items of one directive that the same edit concerns: a candidate in the making.
struct ContentCandidate {
  Candidate candidate;
  UniqueTexts names;
  std::vector<std::string> expressions;    ///< each of another item of the directive
  std::vector<ItemTransfers::Pair> pairs;  ///< needless transfers, and what made them so
  facts::SameContents same;

  /// Takes the needless transfers of a item, unless candidates have most of them already: those
  /// that carried the same, and, if hardly one was different, also those that were not looked at.
  void take(const Evidence& evidence, const std::string& expression, const ItemTransfers& transfers,
            const Removed& removed);
  [[nodiscard]] bool empty() const { return pairs.empty(); }

  /// Takes in what another one has.
  void join(const ContentCandidate& other);

  /// The candidate, with all but facts and edits filled in. No candidate on values alone is
  /// certain; one on few samples, or with storage of which only blocks were compared in the end, is
  /// possible only.
  Candidate finish(const Evidence& evidence, const char* pattern);
};

/// Fills pattern, file and line of a candidate.
void place(Candidate& candidate, const char* pattern, const Trace& trace, Index<Site> site);

/// Fills what a finding is of: the names of its data, and how many operations, all of which were
/// examined.
void describe(Candidate& candidate, std::uint64_t count, Confidence confidence,
              const std::vector<std::string>& names = {});

/// Fills `wasted_bytes`, `wasted_time` and what it is of from the candidate's operations.
void sum_up(Candidate& candidate, const Trace& trace);

/// Whether the source shows that a kernel changes data of a mapping (position in
/// Evidence::mappings) that nothing brings back: the host's copy has to be sent again to be used.
bool is_spoilt(const Evidence& evidence, std::uint32_t mapping);

/// Whether a `nowait` directive made an operation.
bool is_deferred(const Trace& trace, std::uint32_t op);

/// Whether a `nowait` directive without a kernel made an operation: it ran at some time behind the
/// directive, and what ran before or after it tells nothing of the program's order.
bool is_of_deferred_task(const Trace& trace, std::uint32_t op);

/// What the run would have taken without the operations of the candidates, each taken away once;
/// none where they are not known to take time.
std::optional<Prediction> predict(const Trace& trace, std::span<const Candidate> candidates);

/// Fills in what detectors find in a trace: findings, doubts and predictions. Variables of findings
/// are positions in Trace::variables. Returns by position in Trace::ops the position of the first
/// finding that has the operation, Picture::kNone.
std::vector<std::uint32_t> find_redundant(const Trace& trace, const DirectiveTable& directives,
                                          const LoopTable& loops, Analysis& analysis);

}  // namespace ompdm::analysis
