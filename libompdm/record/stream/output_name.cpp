#include "record/stream/output_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace ompdm::record {

void Path::clear() noexcept {
  text[0] = '\0';
  size = 0;
  ok = true;
}

void Path::add(const char* piece, std::size_t length) noexcept {
  if (size + length + 1 > kCapacity) {
    ok = false;
    return;
  }
  memcpy(text + size, piece, length);
  size += length;
  text[size] = '\0';
}

void Path::add(const char* piece) noexcept { add(piece, strlen(piece)); }

void Path::add_number(std::uint64_t number) noexcept {
  char digits[24];
  snprintf(digits, sizeof(digits), "%llu", static_cast<unsigned long long>(number));
  add(digits);
}

namespace {

// Whether variables that are not set, or a folder alone, have left no name to tell a trace by.
bool is_nameless(const char* name) noexcept {
  return name[0] == '\0' || strcmp(name, ".json") == 0 || strcmp(name, ".json.gz") == 0;
}

// Handles one placeholder at `at` (which points behind the '%'); returns where the pattern goes on.
const char* expand(Path& path, const char* at, const spool::FileHeader& process) noexcept {
  switch (*at) {
    case 'p':
      path.add_number(process.pid);
      return at + 1;
    case 'h':
      path.add(process.host);
      return at + 1;
    case '%':
      path.add("%");
      return at + 1;
    case 'q': {
      const char* close = at[1] == '{' ? strchr(at, '}') : nullptr;
      char name[128];
      if (close == nullptr || static_cast<std::size_t>(close - at) >= sizeof(name)) {
        break;
      }
      const std::size_t length = static_cast<std::size_t>(close - at - 2);
      memcpy(name, at + 2, length);
      name[length] = '\0';
      const char* value = getenv(name);
      path.add(value != nullptr ? value : "");
      return close + 1;
    }
    default:
      break;
  }
  path.add("%");
  return at;
}

std::size_t ending_of(const Path& path) noexcept {
  static constexpr const char kZipped[] = ".json.gz";
  const std::size_t zipped = sizeof(kZipped) - 1;
  if (path.size > zipped && strcmp(path.text + path.size - zipped, kZipped) == 0) {
    return path.size - zipped;
  }
  const char* name = strrchr(path.text, '/');
  name = name != nullptr ? name + 1 : path.text;
  const char* dot = strrchr(name, '.');
  return dot != nullptr && dot != name ? static_cast<std::size_t>(dot - path.text) : path.size;
}

}  // namespace

void Path::add_mark(const char* mark) noexcept {
  const std::size_t length = strlen(mark);
  if (size + length + 1 > kCapacity) {
    ok = false;
    return;
  }
  const std::size_t ending = ending_of(*this);
  memmove(text + ending + length, text + ending, size + 1 - ending);
  memcpy(text + ending, mark, length);
  size += length;
}

bool base_name(const char* pattern, const spool::FileHeader& process, Path& path) noexcept {
  path.clear();
  if (pattern[0] != '/') {
    if (process.directory[0] == '\0') {
      return false;
    }
    path.add(process.directory);
    path.add("/");
  }
  for (const char* at = pattern; *at != '\0';) {
    if (*at == '%') {
      at = expand(path, at + 1, process);
    } else {
      path.add(at, 1);
      ++at;
    }
  }
  const std::size_t start = static_cast<std::size_t>(strrchr(path.text, '/') + 1 - path.text);
  const bool is_default = is_nameless(path.text + start);
  if (is_default) {
    const bool zipped = strcmp(path.text + start, ".json.gz") == 0;
    path.size = start;
    path.add(zipped ? "trace.json.gz" : "trace.json");
  }
  if (process.rank >= 0) {
    char mark[32];
    snprintf(mark, sizeof(mark), ".rank%d", process.rank);
    path.add_mark(mark);
  }
  return !is_default;
}

}  // namespace ompdm::record
