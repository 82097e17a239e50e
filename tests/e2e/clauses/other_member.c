// Of a struct one member alone is mapped, and the kernel uses another one, too.
#include <stdio.h>

struct Fields {
  double a[100];
  double b[100];
};
struct Fields s;

int main(void) {
  double sum = 0;
  for (int i = 0; i < 100; ++i) s.a[i] = i, s.b[i] = 2 * i;
#pragma omp target enter data map(to : s.a)
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < 100; ++i) sum += s.a[i] + s.b[i];
  printf("%g\n", sum);
#pragma omp target exit data map(delete : s.a)
  return 0;
}
