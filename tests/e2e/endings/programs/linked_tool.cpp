// A program that was linked with an OMPT tool.

#include "steps.h"

int main() {
  say_steps(2);
  return 13;
}
