// Two reports held against each other: in sentences, as text, Markdown and JSON. Inside the
// report library only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/comparison_tables.h"
#include "report/tables.h"

namespace ompdm::report {

/// "program ./naive → ./data; argument 2: 60 → 600; machine a → b": of programs, their builds,
/// arguments, runtimes and machines those that differ, with what each recording has in turn
/// (`between` them). Empty where all are of the same build with the same arguments on one machine.
std::string differences(Analyses analyses, std::string_view between = " → ");

/// "AFTER moves 31x less: 80.0 MB → 2.6 MB; wall 1.9x shorter: 30 ms → 16 ms"; or why that cannot
/// be told.
std::string comparison_headline(const Sides& sides);

/// The warnings of both recordings, each with whose it is, and that of a model.
std::vector<std::string> comparison_warnings(const Sides& sides);

/// Name and value: which recordings these are, and on which devices.
std::vector<std::pair<std::string, std::string>> comparison_header(const Sides& sides);

/// What BEFORE was predicted to take without its waste, and what AFTER takes; empty without one,
/// and where untold_sentence() is not.
std::string prediction_sentence(const Sides& sides);

/// What is not compared of recordings, called as `names`, of which one or more tell only a part of
/// their run event by event, and why; empty if all is.
std::string untold_sentence(std::span<const analysis::Analysis* const> recordings,
                            std::span<const std::string> names);

/// How many findings went, stay and came; also that there are none in either, or that they are not
/// compared.
std::string findings_sentence(const Sides& sides);

/// What was lost in either recording, also if nothing was.
std::string comparison_losses(const Sides& sides);

}  // namespace ompdm::report
