// A preloaded library of the user's own.

#include <cstdio>

namespace {

struct Loaded {
  Loaded() { std::puts("preloaded"); }
} loaded;

}  // namespace
