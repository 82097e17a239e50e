// Gives a random program the directives that move its data: with waste, or with none.
#pragma once

#include "program.h"

namespace ompdm::random_programs {

/// Each array is kept on the device for its life, and only copies that are then read are made.
/// Where no fixed place does that for every iteration, some of them are needless all the same.
Program without_waste(const Program& program);

/// Each array, or each group that is swapped, has a way of its own. Its kernels map it, or a
/// region, or enter and exit data that a loop runs again and again. Or it is present all along,
/// with more updates than it takes. The result is that of the program without directives.
Program with_waste(const Program& program, Dice& dice);

}  // namespace ompdm::random_programs
