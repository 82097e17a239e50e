#include "report/evidence/words.h"

#include <fmt/format.h>

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
      return "in this run these went over again with the content that the device had had";
    case Remark::Kind::kMakeOnce:
      return fmt::format(
          "make {} once, before the loop at {}, and map {} there: in the loop, update what has to "
          "cross",
          spoken_list(remark.names), place_text(remark.place),
          remark.names.size() == 1 ? "it" : "them");
    case Remark::Kind::kMapObjects:
      return "a declare mapper maps this: let target enter data and target exit data, before and "
             "after, name the object that the mapper is for, with the map types of the clauses "
             "here";
  }
  return {};
}

}  // namespace

std::string evidence_text(const Finding& finding) {
  std::string text =
      std::visit([&](const auto& facts) { return words_of(facts, finding); }, finding.facts);
  std::vector<std::string> unknown;
  for (const Caveat& caveat : finding.caveats) unknown.push_back(words_of(caveat));
  if (!unknown.empty()) text += fmt::format("; possible only: {}", fmt::join(unknown, "; "));
  return text;
}

std::vector<std::string> remarks_of(const Finding& finding) {
  std::vector<std::string> lines =
      std::visit([&](const auto& facts) { return advice_of(facts, finding); }, finding.facts);
  for (const Remark& remark : finding.remarks) lines.push_back(words_of(remark));
  return lines;
}

}  // namespace ompdm::report
