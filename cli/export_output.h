// Where `ompdm export` may write to: a name that is free, or that has what an export left there.
#pragma once

#include <string>
#include <vector>

namespace ompdm::cli {

enum class ExportKind { kDatabase, kJson };

/// Whether standard output is meant.
bool is_standard_output(const std::string& output);

/// Throws Error where `output` is one of the `inputs`, a recording that is no exported part, or
/// whatever else is not ours to replace; it never waits for the other end of a pipe.
void check_export_output(const std::string& output, ExportKind kind,
                         const std::vector<std::string>& inputs);

}  // namespace ompdm::cli
