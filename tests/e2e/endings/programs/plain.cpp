// The known load and nothing else.

#include "steps.h"

int main() {
  say_steps(5);
  return 14;
}
