#include "pragmas/item.h"

#include <algorithm>
#include <cctype>

namespace ompdm::pragmas {

std::string without_comments(std::string text) {
  for (std::size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*", at)) {
    text.erase(at, std::min(text.find("*/", at + 2), text.size()) + 2 - at);
  }
  for (std::size_t at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n")) {
    text.replace(at, 2, " ");
  }
  return text;
}

std::string plain_item(std::string_view item) {
  std::string plain = without_comments(std::string(item));
  std::erase_if(plain, [](unsigned char c) { return std::isspace(c) != 0; });
  for (std::size_t at = plain.find("this->"); at != std::string::npos; at = plain.find("this->")) {
    plain.erase(at, 6);
  }
  return plain;
}

std::string variable_of(std::string_view item) {
  const std::string plain = plain_item(item);
  return plain.substr(0, plain.find('['));
}

}  // namespace ompdm::pragmas
