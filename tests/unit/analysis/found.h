// Looking findings up by pattern. For tests only.
#pragma once

#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::test {

inline std::vector<analysis::Finding> found(const analysis::Analysis& analysis,
                                            const std::string& pattern) {
  std::vector<analysis::Finding> findings;
  for (const analysis::Finding& finding : analysis.findings) {
    if (finding.pattern == pattern) findings.push_back(finding);
  }
  return findings;
}

inline std::string patterns(const analysis::Analysis& analysis) {
  std::string names;
  for (const analysis::Finding& finding : analysis.findings) {
    names += (names.empty() ? "" : " ") + finding.pattern;
  }
  return names;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ompdm::test
