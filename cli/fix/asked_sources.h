// The sources of a recording, and what they say.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "fix/facts_file.h"
#include "ompdm/analysis.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// Asks the sources for facts, and what to write in them, and keeps the answers beside the trace.
/// Answers that were kept are enough where nothing was left open, or the sources are gone, or are
/// as they were when they were asked. Where ompdm-edit fails, or is missing, a line on stderr says
/// so, and nothing is added.
class AskedSources {
 public:
  /// `trace` and `process` must outlive this.
  AskedSources(Trace& trace, SourceSearch search, EditProcess& process);

  /// Adds facts to the trace. `tells_all`: each source that does not answer is told on stderr, not
  /// only the first.
  void add_facts(bool tells_all);
  /// Sets Finding::patch of the trace's findings.
  void add_patches(analysis::Analysis& analysis);
  /// Writes what is new.
  void keep();

 private:
  [[nodiscard]] bool is_of(const FactsOrigin& origin) const;

  Trace& trace_;
  SourceSearch search_;
  EditProcess& process_;
  std::filesystem::path file_;  ///< empty: nothing can be kept
  FactsOrigin origin_;
  std::size_t known_ = 0;  ///< answers that were kept
  bool is_asked_ = true;   ///< ompdm-edit answers
};

}  // namespace ompdm::cli
