// Two pointers that are swapped in each step: after an odd number of steps either name is the
// other's.
#include <cstdio>
#include <cstdlib>
#include <cstring>
int main(int argc, char** argv) {
  int n = 20000, steps = atoi(argv[1]);
  float *vi = (float*)malloc(n * 4), *vo = (float*)malloc(n * 4);
  for (int i = 0; i < n; i++) vi[i] = i % 97, vo[i] = 1;
  for (int s = 0; s < steps; s++) {
    memset(vo, 0, n * 4);  // host: changes vo
#pragma omp target teams distribute parallel for map(tofrom : vi[0 : n], vo[0 : n])
    for (int i = 0; i < n; i++) vo[i] += vi[i] * 0.5f + 1;
    float* t = vo;
    vo = vi;
    vi = t;
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += vi[i];
  printf("sum %g\n", s);
}
