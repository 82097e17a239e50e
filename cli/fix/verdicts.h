// What `ompdm fix` tells at its end: a row a finding, and the patch with its head.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "fix/trial.h"

namespace ompdm::cli {

struct Verdict {
  std::size_t number = 0;
  std::string place;  ///< "heat.cpp:56"
  std::string what;   ///< the pattern
  std::uint64_t promised = 0;
  bool was_tried = false;
  Measured measured;                       ///< of one that was tried
  std::string refused;                     ///< why it was not
  std::vector<std::string> left_out = {};  ///< data that is left as it is, and why
};

/// "Finding  Where  Promised  Measured  Verdict", and under it each reason.
std::string verdict_table(const std::vector<Verdict>& verdicts);

/// "288 MB of 320 MB no longer cross (36 of 40 transfers), 70.1 ms instead of 152 ms".
std::string spared_sentence(const Measured& measured);

}  // namespace ompdm::cli
