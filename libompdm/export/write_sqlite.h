// Recordings as a SQLite database (`ompdm.sqlite/1`), for pandas, DuckDB and whatever else reads
// one: a table for each kind of record and for each table of the report. Described in
// SQLITE.md.
#pragma once

#include <filesystem>
#include <span>

#include "ompdm/analysis.h"
#include "ompdm/trace.h"

namespace ompdm {

/// Writes a new database that holds all of the traces, each with what was made of it, in the order
/// given: rows of the n-th have `trace` n, from 0. Made in a local folder ($TMPDIR or /tmp) and
/// then put where it is to be, since SQLite needs file locks, under another name until it is whole;
/// a file of that name is replaced. Throws Error if it cannot be written.
void write_sqlite(std::span<const Trace> traces, std::span<const analysis::Analysis> analyses,
                  const std::filesystem::path& path);

}  // namespace ompdm
