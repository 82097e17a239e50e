// What to change, in words: the edits of a finding as a reader follows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// A line of advice: a sentence, or a directive or clause of the program, whole (pragma.h).
struct AdviceLine {
  std::string text;
  bool is_code = false;
};

/// One thing to do, or to look for. The lines behind the first are about it.
struct AdviceStep {
  bool is_check = false;  ///< it depends on what the program does, and no trace tells
  std::vector<AdviceLine> lines;
  const analysis::Edit* edit = nullptr;  ///< of the finding; none: it is no edit
};

/// What advice_text() has, first what is to be done in any case.
std::vector<AdviceStep> advice_steps(const analysis::Finding& finding);

/// Whether some of a finding's data may be memory that the program allocates anew: none that is a
/// variable itself.
bool may_be_made_anew(const analysis::Finding& finding);

/// The words of the findings' places: "heat.cpp:56"; without a file the function and line, or the
/// address in the binary.
std::string place_text(const analysis::SourcePlace& place);

/// "heat.cpp:41 and heat.cpp:52": each once; empty if there are none.
std::string places_text(const std::vector<analysis::SourcePlace>& places);

/// "device 0", "devices 0, 1 and 2".
std::string devices_text(const std::vector<std::int32_t>& devices);

/// "a", "a and b", "a, b and c".
std::string spoken_list(const std::vector<std::string>& items);

/// "a, b, c", as in a clause.
std::string clause_list(const std::vector<std::string>& items);

}  // namespace ompdm::report
