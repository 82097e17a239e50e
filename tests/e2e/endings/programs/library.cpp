// A target library that programs open and close.

#include "steps.h"

extern "C" int library_steps(int count) { return steps(count); }
