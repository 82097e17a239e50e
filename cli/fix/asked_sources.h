// The sources of a recording, and their answers.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "fix/facts_file.h"
#include "ompdm/analysis.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// Asks the sources for facts and for the lines to write, and keeps the answers beside the trace.
/// Kept answers are used where no question was left open, or where the sources are gone or
/// unchanged. Where ompdm-edit fails, or is missing, a line on stderr says so, and nothing is
/// added.
class AskedSources {
 public:
  /// `trace` and `process` must outlive this.
  AskedSources(Trace& trace, SourceSearch search, EditProcess& process);

  /// Adds facts to the trace. `tells_all`: each source without an answer is named on stderr, and
  /// not only the first.
  void add_facts(bool tells_all);
  /// Sets Finding::patch of the trace's findings.
  void add_patches(analysis::Analysis& analysis);
  /// A sentence on each source and region that did not answer, with the reason.
  [[nodiscard]] const std::set<std::string>& unanswered() const { return origin_.sentences; }
  /// Writes answers that are new.
  void keep();

 private:
  [[nodiscard]] bool is_of(const FactsOrigin& origin) const;

  Trace& trace_;
  SourceSearch search_;
  EditProcess& process_;
  std::filesystem::path file_;  ///< empty: nothing can be kept
  FactsOrigin origin_;
  std::size_t known_ = 0;  ///< number of answers that were kept
  bool is_asked_ = true;   ///< ompdm-edit answers
};

}  // namespace ompdm::cli
