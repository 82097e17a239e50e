#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  double s = 0;
  for (int p = 1; p <= 12; p++) {
    int n = 4096 * (1 + p % 3), m = 4096 * (1 + (p + 1) % 3);
    float *data = (float*)malloc(n * 4), *code = (float*)malloc(m * 4);
    for (int i = 0; i < n; i++) data[i] = rand();
#pragma omp target teams distribute parallel for map(to : data[0 : n]) map(from : code[0 : m])
    for (int i = 0; i < m; i++) code[i] = data[i % n] + 1;
    for (int i = 0; i < m; i++) s += code[i];
    free(data);
    free(code);
  }
  printf("%g\n", s);
}
