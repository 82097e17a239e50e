#include "versions.h"

#include <utility>

#include "directives.h"

namespace ompdm::random_programs {

Versions versions_of(std::uint64_t seed) {
  Dice dice(seed);
  Program program = make_program(dice);
  while (run(program, 0).kernels == 0) program = make_program(dice);
  remove_untaken_branches(program);
  Versions made;
  made.well = without_waste(program);
  made.naive = with_waste(program, dice);
  made.best = run(made.well, 0);
  made.worst = run(made.naive, 0);
  made.clean = made.best.needless == 0 && !made.best.unused;
  return made;
}

}  // namespace ompdm::random_programs
