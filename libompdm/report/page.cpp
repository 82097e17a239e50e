#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/aligned_table.h"
#include "report/fitted_text.h"

namespace ompdm::report {
namespace {

std::string marked(const std::string& text, const char* attribute, const Layout& layout) {
  return layout.color ? fmt::format("\x1b[{}m{}\x1b[0m", attribute, text) : text;
}

}  // namespace

std::string title(const std::string& text, const Layout& layout) {
  return marked(text, "1", layout);
}
std::string warning(const std::string& text, const Layout& layout) {
  return marked("! " + text, "33", layout);
}

std::string wrapped(const std::string& line, std::size_t width, std::size_t indent) {
  std::string text;
  std::size_t used = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t blank = std::min(line.find(' ', at), line.size());
    const std::string word = line.substr(at, blank - at);
    if (used > 0 && used + 1 + display_width(word) > width) {
      text += '\n' + std::string(indent, ' ') + word;
      used = indent + display_width(word);
    } else {
      text += (used > 0 ? " " : "") + word;
      used += (used > 0 ? 1 : 0) + display_width(word);
    }
    at = blank + 1;
  }
  return text;
}

std::string fact(const std::string& name, const std::string& value, const Layout& layout) {
  constexpr std::size_t kValueAt = 9;
  constexpr std::size_t kMostLines = 5;
  const std::string told = shortened(value, kMostLines * (layout.width - kValueAt));
  return wrapped(fmt::format("{:<{}}{}", name, kValueAt, told), layout.width, kValueAt) + '\n';
}

std::string titled(Table table, const Layout& layout, std::size_t most_rows) {
  if (table.rows.empty()) return {};
  const std::size_t hidden = table.rows.size() > most_rows ? table.rows.size() - most_rows : 0;
  table.rows.resize(table.rows.size() - hidden);
  std::string text = '\n' + title(wrapped(table.title, layout.width), layout) + '\n' +
                     aligned(for_readers(table), layout.width, layout.narrow);
  if (hidden > 0) text += fmt::format("  ... and {} more (--format csv lists all)\n", hidden);
  return text;
}

}  // namespace ompdm::report
