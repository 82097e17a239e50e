// What directives find on the device, and what they do not, by name: the edits of another directive
// change that.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The inner directive finds a present, and by itself would copy back what nothing has filled.
static void returned_by_another(double* a, double* b, int n, int count) {
#pragma omp target data map(to : a[0 : n]) map(tofrom : b[0 : n])
  for (int t = 0; t < count; ++t) {
#pragma omp target data map(from : a[0 : n])
    {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; ++i) b[i] += 2;
    }
  }
}

// The update sends b alone: a is not there, and would be.
static void updated_beside(double* a, double* b, int n, int count) {
#pragma omp target enter data map(to : b[0 : n])
  for (int t = 0; t < count; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; ++i) a[i] += b[i];
    for (int i = 0; i < n; ++i) b[i] += i % (t + 2);
#pragma omp target update to(a[0 : n], b[0 : n])  // @update
  }
#pragma omp target exit data map(from : b[0 : n])
}

// The end counts b down alone, which is no operation, and is needed all the same.
static void counted_down_beside(double* a, double* b, int n, int count) {
#pragma omp target enter data map(to : b[0 : n])
  for (int t = 0; t < count; ++t) {
#pragma omp target enter data map(to : b[0 : n])
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; ++i) a[i] += b[i] += 1;
#pragma omp target exit data map(release : a[0 : n], b[0 : n])  // @count
  }
#pragma omp target exit data map(from : b[0 : n])
}

// The end brings b back alone, between two directives that map a.
static void ended_beside(double* a, double* b, int n, int count) {
#pragma omp target enter data map(to : b[0 : n])
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])  // @once
  for (int i = 0; i < n; ++i) a[i] += b[i] += count;
#pragma omp target exit data map(from : b[0 : n]) map(delete : a[0 : n])  // @end
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])   // @more
  for (int i = 0; i < n; ++i) a[i] *= 2;
}

// Behind the stay nothing of it is there, and no edit changes that.
static void ended_later(double* a, double* b, int n, int count) {
#pragma omp target enter data map(to : b[0 : n])
  for (int t = 0; t < count; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; ++i) a[i] += b[i];
  }
#pragma omp target exit data map(release : a[0 : n], b[0 : n])
}

__attribute__((noinline)) static void move(double* a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i) a[i] += 1;
}

static void change(double* a, int n, double by) {
  for (int i = 0; i < n; ++i) a[i] = a[i] * by + i;
}

// One of its executions finds data present that a kernel has changed: an update to it would send
// the host's data.
static void moved_or_found(double* a, double* b, int n, int count) {
  for (int t = 0; t < count; ++t) {
    move(a, n);
    change(a, n, 1 / (t + 2.0));
  }
#pragma omp target data map(tofrom : a[0 : n])
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) a[i] *= 2;
    move(a, n);
  }
  change(a, n, 0.5);
  move(a, n);
  change(b, n, 0.5);
}

__attribute__((noinline)) static double looked_at(double* a, int n) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n]) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}

// Data copied back unchanged is one finding, and no update has to copy it back besides.
static void returned_by_one_edit(double* a, double* b, int n, int count) {
  for (int t = 0; t < count; ++t) {
    b[t] = looked_at(a, n);
    change(a, n, 1 / (t + 2.0));
  }
}

static double by;

__attribute__((noinline)) static void scale(double* a, int n) {
#pragma omp target teams distribute parallel for map(to : by)
  for (int i = 0; i < n; ++i) a[i] *= by;
}

// One launch finds a scalar there, with a value that only the device has.
static void scalar_found(double* a, double* b, int n, int count) {
#pragma omp target data map(tofrom : a[0 : n])
  {
    for (int t = 0; t < 4 * count; ++t) {
      by = 1 + b[t] / n;
      scale(a, n);
    }
#pragma omp target data map(alloc : by)
    {
#pragma omp target map(from : by)
      by = 1 / (1 + a[n / 2]);
      scale(a, n);
    }
  }
}

// An array of two is no scalar, and would be mapped both ways by itself.
static void array_as_small(double* a, double* b, int n, int count) {
#pragma omp target data map(tofrom : a[0 : n])
  for (int t = 0; t < 4 * count; ++t) {
    const float two[2] = {t, b[t]};
    const double one = t * 0.5;
#pragma omp target teams distribute parallel for map(to : two, one)
    for (int i = 0; i < n; ++i) a[i] += two[i % 2] + one;
  }
}

__attribute__((noinline)) static double first(double* p, int n) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : p[0 : n]) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += p[i];
  return sum;
}

__attribute__((noinline)) static double second(double* q, int n) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : q[0 : n]) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += q[i] * i;
  return sum;
}

// When the directive that would be first is reached for other data, a part of a is there.
static void part_there_before(double* a, double* b, int n, int count) {
  double sum = 0;
#pragma omp target enter data map(to : a[0 : count])
  b[0] = first(b, n);
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < count; ++i) sum += a[i];
#pragma omp target exit data map(release : a[0 : count])
  b[0] += first(a, n) + second(a, n) + sum;
}

// What is left is one argument of a function that another array is an argument of too, in its turn.
static void left_beside(double* a, double* b, int n, int count) {
#pragma omp target enter data map(to : a[0 : n])
#pragma omp target enter data map(to : b[0 : n])
  move(b, n);
  move(a, n);
#pragma omp target update from(a[0 : n])
  b[0] += a[n - 1];  // @last
  for (int t = 0; t < count; ++t) move(b, n);
#pragma omp target exit data map(from : b[0 : n])
}

static const struct {
  const char* name;
  void (*run)(double* a, double* b, int n, int count);
} kWays[] = {
    {"returned_by_another", returned_by_another},
    {"updated_beside", updated_beside},
    {"counted_down_beside", counted_down_beside},
    {"ended_beside", ended_beside},
    {"ended_later", ended_later},
    {"moved_or_found", moved_or_found},
    {"returned_by_one_edit", returned_by_one_edit},
    {"scalar_found", scalar_found},
    {"array_as_small", array_as_small},
    {"part_there_before", part_there_before},
    {"left_beside", left_beside},
    {NULL, NULL},
};

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int n = atoi(argv[2]);
  const int count = atoi(argv[3]);
  double* a = malloc(n * sizeof *a);
  double* b = malloc(n * sizeof *b);
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = i % 10;
  }
  size_t way = 0;
  while (kWays[way].name != NULL && strcmp(argv[1], kWays[way].name) != 0) ++way;
  if (kWays[way].name == NULL) return 2;
  kWays[way].run(a, b, n, count);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * (i % 7) + b[i];
  printf("%.9g\n", sum);
  free(a);
  free(b);
  return 0;
}
