#include "report/fitted_text.h"

#include <algorithm>

namespace ompdm::report {
namespace {

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The bytes of the first `count` code points, or from the one that leaves `count` at the end.
std::string first(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!continues_code_point(text[at]) && count-- == 0) break;
  }
  return text.substr(0, at);
}

std::string last(const std::string& text, std::size_t count) {
  std::size_t at = text.size();
  while (at > 0 && count > 0) {
    --at;
    if (!continues_code_point(text[at])) --count;
  }
  return text.substr(at);
}

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    if (blank > at) words.push_back(text.substr(at, blank - at));
    at = blank + 1;
  }
  return words;
}

std::string shortened(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  if (used <= width) return text;
  if (width <= 3) return std::string(width, '.');
  const std::size_t kept = width - 3;
  return first(text, kept - kept / 2) + "..." + last(text, kept / 2);
}

std::vector<std::string> set_in_lines(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return {text};
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  const std::string indent(std::min(blanks, width / 2), ' ');
  std::vector<std::string> lines;
  for (const std::string& word : words_of(text)) {
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(indent + shortened(word, width - indent.size()));
    }
  }
  return lines;
}

std::size_t display_width(const std::string& text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_code_point));
}

}  // namespace ompdm::report
