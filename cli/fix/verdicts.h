// What `ompdm fix` tells at its end: a row a finding, and the patch with its head.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fix/trial.h"

namespace ompdm::cli {

struct Verdict {
  std::size_t number = 0;
  std::string place;                      ///< "heat.cpp:56"
  std::string what;                       ///< the pattern
  std::optional<std::uint64_t> promised;  ///< bytes that are not to cross; none: it is of memory
  bool is_firm = false;  ///< no entry of a loop, nor use by the host, may need some of it after all
  bool was_tried = false;
  Measured measured;                       ///< of one that was tried
  std::string refused;                     ///< why it was not
  std::vector<std::string> left_out = {};  ///< data that is left as it is, and why
};

/// Of a finding of the JSON report, before anything is tried.
Verdict verdict_of(std::size_t number, const nlohmann::json& finding);

/// "Finding  Where  Promised  Measured  Verdict". `of_other_runs`: what was measured is not of the
/// run that the promise is of.
std::string verdict_table(const std::vector<Verdict>& verdicts, bool of_other_runs);

/// "288 MB of 320 MB no longer cross (36 of 40 transfers); the run takes 70.1 ms instead of 152
/// ms".
std::string spared_sentence(const Measured& measured);

}  // namespace ompdm::cli
