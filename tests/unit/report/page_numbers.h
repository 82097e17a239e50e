// Reads the numbers of a page back, as its scripts do (html/events.h). For tests only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ompdm::report {

/// The text of the script element with this id.
inline std::string script_text(const std::string& html, const std::string& id) {
  const std::string mark = "id=\"" + id + "\">";
  const std::size_t at = html.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size();
  return html.substr(begin, html.find("</script>", begin) - begin);
}

using PageColumns = std::map<std::string, std::vector<std::uint64_t>>;

/// Columns of one block of the page's recording `number`, by name.
PageColumns page_block(const std::string& html, std::size_t number, const std::string& block);

}  // namespace ompdm::report
