// What is redundant in this run and needed all the same: of each a piece of a stranger's program.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Divisor {
  int value;
  int shift[2000];
};

// An object by value is made by each call: the caller cannot keep it on the device.
template <class Number>
static void divide(int n, Number by, int* out) {
#pragma omp target teams distribute parallel for map(to : by) map(from : out[0 : n])
  for (int i = 0; i < n; ++i) out[i] = i / by.value + by.shift[1999];
}

// The host runs the region in most iterations.
static int now_and_then(int n, int* a) {
  for (int t = 0; t < 40; ++t) {
#pragma omp target teams distribute parallel for if (t >= 30) map(tofrom : a[0 : n])
    for (int i = 0; i < n; ++i) a[i] += t;
  }
  return a[7];
}

// What the second region changes is dropped: to keep the data takes as many copies.
static int dropped(int n, int* b) {
#pragma omp target map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) b[i] += 5;
  const int before = b[0];
#pragma omp target map(to : b[0 : n])
  b[0] += 10;
  return before + b[0];
}

// The task copies the array.
static int copied(int n) {
  static int c[5000];
#pragma omp target map(tofrom : c, n)
  {
#pragma omp task default(firstprivate)
    {
      n += 1;
      for (int i = 0; i < 5000; ++i) c[i] = n;
    }
  }
  return c[3];
}

// The host's change in the region is overwritten where that ends.
static int lost(int n, int* d) {
  int sum = 0;
  for (int t = 0; t < 6; ++t) {
#pragma omp target data map(tofrom : d[0 : n])
    {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; ++i) d[i] += t;
#pragma omp target update from(d[0 : n])
      d[t] = 4;
      sum += d[t + 1];
    }
  }
  return sum;
}

int main() {
  const int n = 20000;
  int* out = static_cast<int*>(malloc(n * sizeof(int)));
  memset(out, 0, n * sizeof(int));
  long sum = 0;
  for (int t = 0; t < 5; ++t) {
    Divisor by = {};
    by.value = 3;
    divide(n, by, out);
    sum += out[n - 1];
  }
  sum += now_and_then(n, out) + dropped(n, out) + copied(n) + lost(n, out);
  printf("%ld\n", sum);
  free(out);
}
