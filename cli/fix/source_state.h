// Whether a finding's lines are those of the source as it lies there now.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "ompdm/recording.h"
#include "source_lines.h"

namespace ompdm::cli {

struct SourceState {
  std::string obstacle;      ///< a sentence with what to do; empty: they are
  bool may_be_same = false;  ///< it is newer: what is built of it shows whether anything changed
};

/// Of a finding of the JSON report, its places as the trace has them.
SourceState source_state(const nlohmann::json& finding, const SourceLines& sources,
                         const Process& process);

/// Whether two builds are of the same sources: all of their code, and all of its lines, are the
/// same. (Kernels are named by their source's inode, so that copies never are to the last byte.)
bool is_of_same_sources(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace ompdm::cli
