#include "report/evidence/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "ompdm/report.h"
#include "report/advice.h"

namespace ompdm::report {
namespace {

using analysis::Caveat;
using analysis::Finding;
using analysis::Remark;

/// A pattern whose advice is its edits.
template <class Facts>
std::vector<std::string> advice_of(const Facts& /*facts*/, const Finding& /*finding*/) {
  return {};
}

std::string words_of(std::monostate /*facts*/, const Finding& /*finding*/) { return {}; }

std::string words_of(const Remark& remark) {
  switch (remark.kind) {
    case Remark::Kind::kWentAsItHadBeen:
      return "in this run, whatever was sent again was what the device had already";
    case Remark::Kind::kMakeOnce:
      return fmt::format(
          "map what {} {} around the loop at {}, by names that are known there; if the loop "
          "allocates it, allocate it once, before the loop\n"
          "in the loop, target update what has to cross",
          spoken_list(remark.names), remark.names.size() == 1 ? "points to" : "point to",
          place_text(remark.place));
    case Remark::Kind::kMapObjects:
      return "a declare mapper maps this, so that no directive is given: the object that it is for "
             "would have to stay on the device around all this, with the pointers that it has";
    case Remark::Kind::kRunsAtTimes:
      return fmt::format(
          "keep {} on the device only if {} can be told when to run: once the data stays, some of "
          "what it does is wrong there, and some is needed",
          named_or_counted(remark.names), place_text(remark.place));
  }
  return {};
}

}  // namespace

std::string named_or_counted(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  return names.size() <= kMost ? spoken_list(names)
                               : fmt::format("these {} variables", names.size());
}

bool is_in_words(const Finding& finding) {
  return finding.edits.empty() && finding.unreached.empty() &&
         std::ranges::none_of(finding.runs, analysis::speaks_against_edits);
}

std::string evidence_text(const Finding& finding) {
  std::string text =
      std::visit([&](const auto& facts) { return words_of(facts, finding); }, finding.facts);
  std::vector<std::string> unknown;
  for (const Caveat& caveat : finding.caveats) unknown.push_back(words_of(caveat));
  if (!unknown.empty()) {
    text += fmt::format(". Possible only, because {}", fmt::join(unknown, ", and because "));
  }
  return text;
}

std::vector<std::string> remarks_of(const Finding& finding) {
  std::vector<std::string> lines =
      std::visit([&](const auto& facts) { return advice_of(facts, finding); }, finding.facts);
  for (const Remark& remark : finding.remarks) lines.push_back(words_of(remark));
  return lines;
}

}  // namespace ompdm::report
