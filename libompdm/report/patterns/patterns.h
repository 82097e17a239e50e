// Patterns of findings, and all words for them: each file beside this one has the words of related
// patterns. Inside the report library only.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ompdm/analysis.h"
#include "report/source_names.h"

namespace ompdm::report {

/// The finding that words are about.
struct Subject {
  const analysis::Finding& finding;
  const SourceNames& names;
  std::string data;  ///< its variables, shortened; "this" where they have no name
};

/// What a report says of a finding besides its edits.
struct Words {
  std::string evidence;  ///< what it rests on: a sentence without its full stop
  std::string action;    ///< "keep u on the device around the loop at heat.cpp:54"
  /// What to do that is no edit. An item may have several lines.
  std::vector<std::string> advice = {};
};

struct Pattern {
  std::string_view name;  ///< Finding::pattern
  std::string_view
      title;        ///< "mapped again by each iteration of a loop"; empty of a foreign detector's
  const char* one;  ///< what Finding::count counts, for 1
  const char* many;
  /// None if the subject's facts are of another pattern.
  std::optional<Words> (*words)(const Subject& subject);
};

/// Pattern::words of a pattern with `Facts`.
template <class Facts, Words (*kWords)(const Facts&, const Subject&)>
std::optional<Words> words_if(const Subject& subject) {
  const auto* facts = std::get_if<Facts>(&subject.finding.facts);
  return facts != nullptr ? std::optional(kWords(*facts, subject)) : std::nullopt;
}

std::span<const Pattern> needless_data_patterns();
std::span<const Pattern> small_data_patterns();
std::span<const Pattern> kernel_patterns();
std::span<const Pattern> clause_patterns();

/// The patterns of all files.
const std::vector<Pattern>& all_patterns();

/// A pattern without a title if no file has it.
Pattern pattern_of(const analysis::Finding& finding);

/// The title; of a foreign detector's pattern (ompdm/analysis.h) its name, with blanks.
std::string title_of(const analysis::Finding& finding);

/// Words::action; of a foreign detector's finding its title.
std::string action_text(const analysis::Finding& finding, const SourceNames& names);

/// The action for several kernels of one function that are to be changed alike. Example: "share the
/// loops of 3 target regions in solve among many teams".
std::string action_of_kernels(analysis::facts::SerialKernel::Shape shape, std::size_t count,
                              const std::string& function);

/// Words::advice, and the finding's remarks.
std::vector<std::string> remarks_of(const analysis::Finding& finding);

/// Whether a finding has no edits and no `Finding::withheld_edits` either: then its advice is all
/// there is.
bool has_no_edits_at_all(const analysis::Finding& finding);

/// "u and v"; of more than six names only their number: the finding's heading has them.
std::string named_or_counted(const std::vector<std::string>& names);

}  // namespace ompdm::report
