// Regions in places of their own.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
void scale(double* a, int n);  // scale.c
void shift(double* a, int n);  // shift.c
#ifdef __cplusplus
}
#endif
