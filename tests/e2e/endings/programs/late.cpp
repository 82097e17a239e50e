// Target regions before main, in atexit handlers and in destructors of static objects.

#include <cstdlib>

#include "steps.h"

namespace {

struct Early {
  Early() { say_steps(1); }
  ~Early() { say_steps(2); }
};
Early early;

}  // namespace

int main() {
  std::atexit([] { say_steps(3); });
  say_steps(4);
  return 12;
}
