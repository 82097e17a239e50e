// Carries out what a finding of `ompdm report --format json` says to change, in any C or C++
// source. What only the source knows, it has to say in comments behind the code:
//
//   total += s[i];  // host: reads s        (or changes a part of it)
//   f[i] = 0;       // host: changes f
//   #pragma omp target map(to : x)  // kernel: changes x
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reading.h"
#include "source_patch.h"

namespace ompdm::e2e {

/// What became of a finding.
struct Applied {
  std::string left = {};                ///< why it is left to a reader; empty: its edits were made
  std::vector<std::string> deeds = {};  ///< what was changed, one an edit, for a reader
};

class Applier {
 public:
  /// Makes all edits of a finding. One that cannot be made leaves the whole finding out.
  Applied apply(const nlohmann::json& finding, const Reading* reading = nullptr);

  /// The changed sources.
  [[nodiscard]] std::map<std::filesystem::path, SourcePatch::Result> results() const;

 private:
  using Json = nlohmann::json;

  /// The statements that an edit goes before, behind or into: one, or all between two.
  struct Span {
    Extent first;
    Extent last;
  };

  /// A directive, and the source that it stands in.
  struct Written {
    SourcePatch& source;
    const PragmaLine& pragma;
  };

  std::string apply_edit(const Json& edit, const Reading* reading);
  std::string insert(const Json& edit, const Reading* reading);
  void insert_around(SourcePatch& source, const Json& edit, const Span& span,
                     const Reading* reading);
  void insert_for_host(SourcePatch& source, const Json& edit, Extent extent,
                       const Reading* reading);
  std::string insert_for_kernels(const Json& edit);
  std::string take_out(const Json& edit);
  std::optional<Span> span_of(SourcePatch& source, const Json& edit, int line,
                              const Reading* reading) const;
  std::string replace(const Json& edit);
  /// Null: it cannot be read.
  SourcePatch* source_of(const Json& place);
  /// None, if there is no directive in that line.
  std::optional<Written> directive_at(const Json& place);

  std::map<std::filesystem::path, SourcePatch> sources_;
  std::vector<std::string> deeds_;
  std::string file_;  ///< of the finding
};

}  // namespace ompdm::e2e
