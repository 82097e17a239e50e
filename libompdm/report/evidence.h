// What a finding rests on, in words. Inside the report library only.
#pragma once

#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// "a was mapped anew in a loop of 30 passes: sent in 30 transfers where 1 would do".
std::string words_of(const analysis::facts::PerIterationMapping& facts,
                     const analysis::Finding& finding);
std::string words_of(const analysis::facts::Resends& facts, const analysis::Finding& finding);
std::string words_of(const analysis::facts::UnmodifiedCopyBack& facts,
                     const analysis::Finding& finding);
std::string words_of(const analysis::facts::RepeatedCopyBack& facts,
                     const analysis::Finding& finding);
std::string words_of(const analysis::facts::UnusedTransfer& facts,
                     const analysis::Finding& finding);
std::string words_of(const analysis::facts::UnusedAllocation& facts,
                     const analysis::Finding& finding);
std::string words_of(const analysis::facts::RepeatedAllocation& facts,
                     const analysis::Finding& finding);
std::string words_of(const analysis::facts::SmallTransfers& facts,
                     const analysis::Finding& finding);
std::string words_of(const analysis::facts::MappedScalars& facts, const analysis::Finding& finding);
std::string words_of(const analysis::facts::MapperWalk& facts, const analysis::Finding& finding);
std::string words_of(const analysis::facts::SerialKernel& facts, const analysis::Finding& finding);
std::string words_of(const analysis::facts::PageableTransfer& facts,
                     const analysis::Finding& finding);
std::string words_of(const analysis::facts::NoOverlap& facts, const analysis::Finding& finding);
std::string words_of(const analysis::facts::HostFallback& facts, const analysis::Finding& finding);
std::string words_of(const analysis::facts::PartialUpdate& facts, const analysis::Finding& finding);
std::string words_of(const analysis::facts::DeviceLeak& facts, const analysis::Finding& finding);

/// Whether no edit of it can be written: none was withheld either.
bool is_in_words(const analysis::Finding& finding);

/// What the facts of a pattern say to do that is no edit, as remarks_of() has it.
std::vector<std::string> advice_of(const analysis::facts::Resends& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::UnusedTransfer& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::UnusedAllocation& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::SmallTransfers& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::MappedScalars& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::MapperWalk& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::SerialKernel& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::PageableTransfer& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::NoOverlap& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::HostFallback& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::PartialUpdate& facts,
                                   const analysis::Finding& finding);
std::vector<std::string> advice_of(const analysis::facts::DeviceLeak& facts,
                                   const analysis::Finding& finding);

/// "u and v"; of more than are read in one line only how many: the finding's heading names them.
std::string named_or_counted(const std::vector<std::string>& names);

/// "too few contents were compared".
std::string words_of(const analysis::Caveat& caveat);

/// What to do that is no edit: lines of words.
std::vector<std::string> remarks_of(const analysis::Finding& finding);

}  // namespace ompdm::report
