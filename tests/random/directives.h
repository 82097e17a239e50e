// Gives a random program the directives that move its data: with waste, or with none.
#pragma once

#include "program.h"

namespace ompdm::random_programs {

/// Each array stays on the device for its life, and what crosses is what someone then reads; where
/// no fixed place does that for every pass, some of it is needless all the same.
Program without_waste(const Program& program);

/// Each array, or each that are swapped, in a way of its own: mapped by its kernels, in a region or
/// between enter and exit data that a loop runs again and again, or all along with more updates
/// than it takes. The result is that of the program without directives.
Program with_waste(const Program& program, Dice& dice);

}  // namespace ompdm::random_programs
