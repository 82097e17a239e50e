#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  int n = 20000, m = atoi(argv[1]);
  int* a = (int*)malloc(n * 4);
  for (int i = 0; i < n; i++) a[i] = i % 50;
  bool more;
  int k = 0;
  do {
    more = false;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n]) map(tofrom : more)
    for (int i = 0; i < n; i++)
      if (a[i] < m) {
        a[i]++;
        more = true;
      }
    k++;
  } while (more);
  long s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  printf("%d passes, sum %ld\n", k, s);
}
