#include "report/patterns/patterns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ompdm/report.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Caveat;
using analysis::Finding;
using analysis::Remark;

/// The first names of a list, and the number of the others. A name may end with a list of
/// functions in parentheses.
std::string shortened_list(const std::string& list, std::size_t width) {
  if (display_width(list) <= width) return list;
  std::vector<std::string> names(1);
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    depth += list[i] == '(' ? 1 : list[i] == ')' ? -1 : 0;
    if (depth == 0 && list.compare(i, 2, ", ") == 0) {
      names.emplace_back();
      ++i;
    } else {
      names.back() += list[i];
    }
  }
  std::string text = names.front();
  std::size_t shown = 1;
  const auto with_next = [&] { return text + ", " + names[shown]; };
  while (shown < names.size() && display_width(with_next()) + 11 <= width) {
    text = with_next();
    ++shown;
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return shortened(text, width + 11);
}

/// What the pattern's file says; of facts that no file knows nothing.
Words words_of(const Finding& finding, const SourceNames& names) {
  constexpr std::size_t kWidestData = 36;  // columns
  const Subject subject{
      finding, names,
      finding.variable.empty() ? "this" : shortened_list(finding.variable, kWidestData)};
  for (const Pattern& pattern : all_patterns()) {
    if (std::optional<Words> words = pattern.words(subject)) return *std::move(words);
  }
  return {};
}

Words words_of(const Finding& finding) {
  return words_of(finding, SourceNames(std::span<const Trace>()));
}

/// "too few contents were compared".
std::string caveat_text(const Caveat& caveat) {
  using Kind = Caveat::Kind;
  constexpr std::string_view kTexts[] = {
      "contents were not compared",
      "too few contents were compared",
      "less than half of these bytes were compared as equal",
      "of some transfers only blocks were compared, or all bytes only at first",
      "other directives map the same data in between",
      "the host changes it in between: target updates may transfer as much",
      "the program may use an old copy of it on purpose",
      "the loop may have been entered more often, and each time needs its own copies",
      "",  // kMadeAnew
      "the loop, or a function that it calls, allocates memory, which may be this",
      "the host may have computed the same content again",
      "a kernel may have written the values that were there, and others in another run",
      "",  // kNamesStray
      "the directive also ran with other data of this name",
      "kernels in between map it by map(to:): the trace cannot show whether they change it",
      "",  // kHostChanged
      "it may be a flag, which a kernel sets only now and then",
      "its number of iterations is not known: threads gain nothing from few",
      "the trace cannot show whether the host needs each of them at once",
      "the trace cannot show whether it would be faster",
      "no transfer of this run shows the throughput of pinned memory",
      "the trace cannot show whether the kernel uses it by another pointer",
      "the rest of the run was only aggregated, and may need what this part does not",
      "the rest of the run is not in this trace, and may need what this part does not",
      "events of the run are missing, and may need what the others do not"};
  static_assert(std::size(kTexts) == static_cast<std::size_t>(Kind::kRestLost) + 1);
  const bool is_one = caveat.names.size() == 1;
  switch (caveat.kind) {
    case Kind::kMadeAgain:
      return fmt::format(
          "{} {} declared again in each iteration, and the data that {} may be allocated again",
          spoken_list(caveat.names), is_one ? "is" : "are",
          is_one ? "it points to" : "they point to");
    case Kind::kNamesStray:
      return fmt::format("{} {} for other data too, which is not kept", spoken_list(caveat.names),
                         is_one ? "stands" : "stand");
    case Kind::kHostChanged:
      return fmt::format(
          "the trace cannot show whether the host changed its own copy, and wants {} restored",
          is_one ? "it" : "them");
    default:
      return std::string(kTexts[static_cast<std::size_t>(caveat.kind)]);
  }
}

std::string remark_text(const Remark& remark) {
  switch (remark.kind) {
    case Remark::Kind::kWentAsItHadBeen:
      return "in this run, everything that was sent again was on the device already";
    case Remark::Kind::kMakeOnce:
      return fmt::format(
          "map the data that {} {} {} the loop at {}, by names that are known there\n"
          "if the loop allocates it, allocate it once, before the loop\n"
          "in the loop, write target update for the data that has to be copied",
          spoken_list(remark.names), remark.names.size() == 1 ? "points to" : "point to",
          remark.all_entries ? "over all entries into" : "around", place_text(remark.place));
    case Remark::Kind::kMapObjects:
      return "a declare mapper maps this, so no directive is printed. Its object would have to be "
             "kept on the device around all this, with its pointers";
    case Remark::Kind::kRunsAtTimes:
      return fmt::format(
          "keep {} on the device only if you can say when {} has to run. Part of its work is "
          "needed then, and part is wrong",
          named_or_counted(remark.names), place_text(remark.place));
  }
  return {};
}

}  // namespace

const std::vector<Pattern>& all_patterns() {
  static const std::vector<Pattern> kAll = [] {
    std::vector<Pattern> all;
    for (const std::span<const Pattern> some :
         {needless_data_patterns(), small_data_patterns(), kernel_patterns(), clause_patterns()}) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return kAll;
}

Pattern pattern_of(const Finding& finding) {
  const auto known = std::ranges::find(all_patterns(), finding.pattern, &Pattern::name);
  return known != all_patterns().end()
             ? *known
             : Pattern{finding.pattern, {}, "execution", "executions", nullptr};
}

std::string title_of(const Finding& finding) {
  const Pattern pattern = pattern_of(finding);
  std::string title(pattern.title.empty() ? pattern.name : pattern.title);
  if (pattern.title.empty()) std::ranges::replace(title, '_', ' ');
  return title;
}

std::string action_text(const Finding& finding, const SourceNames& names) {
  return std::holds_alternative<std::monostate>(finding.facts) ? title_of(finding)
                                                               : words_of(finding, names).action;
}

std::string evidence_text(const Finding& finding) {
  std::string text = words_of(finding).evidence;
  std::vector<std::string> unknown;
  for (const Caveat& caveat : finding.caveats) unknown.push_back(caveat_text(caveat));
  if (!unknown.empty()) {
    text += fmt::format(". Possible only, because {}", fmt::join(unknown, ", and because "));
  }
  return text;
}

std::vector<std::string> remarks_of(const Finding& finding) {
  std::vector<std::string> lines = words_of(finding).advice;
  for (const Remark& remark : finding.remarks) lines.push_back(remark_text(remark));
  return lines;
}

bool has_no_edits_at_all(const Finding& finding) {
  return finding.edits.empty() && finding.unreached.empty() &&
         std::ranges::none_of(finding.runs, analysis::speaks_against_edits);
}

std::string named_or_counted(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  return names.size() <= kMost ? spoken_list(names)
                               : fmt::format("these {} variables", names.size());
}

}  // namespace ompdm::report
