// The page: one HTML file with its data. Inside the report library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report::page {

using Json = nlohmann::ordered_json;

/// Puts the blocks of one recording together.
class Columns {
 public:
  /// Begins a block of `rows` rows.
  void begin_block(const char* name, std::size_t rows);

  /// Adds a column to the block that was begun last: a value a row.
  void add(const char* name, const std::vector<std::uint64_t>& values);

  /// The same of values that only grow: the differences are stored.
  void add_growing(const char* name, std::vector<std::uint64_t> values);

  /// { BLOCK: { "rows", "columns": [ { "name", "bytes" (a value), "grows" } ] } } in their order.
  [[nodiscard]] const Json& layout() const { return layout_; }

  /// All blocks, deflated (zlib), in base64.
  [[nodiscard]] std::string base64() const;

 private:
  Json layout_ = Json::object();
  std::string block_;
  std::string bytes_;
};

/// RFC 4648, with padding.
std::string base64_of(std::string_view bytes);

/// Adds the block "passes"; loops are numbered from `first_loop`.
void add_passes(const std::vector<std::vector<analysis::Pass>>& loops, std::size_t first_loop,
                Columns& columns);

/// At most about `most` of these; the first passes of entries stay apart.
std::vector<analysis::Pass> summed_passes(const std::vector<analysis::Pass>& passes,
                                          std::size_t most);

}  // namespace ompdm::report::page
