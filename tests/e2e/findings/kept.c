// Data that edits keep, or whose copies they leave out, by name: what else is copied of it, and
// what it is called.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Once a stays, the update sends what the host has had since before the loop.
static void updated_within(double* a, int n, int count) {
  for (int t = 0; t < count; ++t) {
#pragma omp target enter data map(to : a[0 : n])
#pragma omp target update to(a[0 : n])  // @within
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) a[i] += 1;
#pragma omp target exit data map(from : a[0 : n])
  }
}

// So does a clause that copies whether the data is there or not.
static void sent_always(double* a, int n, int count) {
  double sum = 0;
  for (int t = 0; t < count; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; ++i) a[i] += 1;
#pragma omp target teams distribute parallel for map(always, to : a[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i];
  }
  printf("%.9g\n", sum);
}

// The `always` sends data that is present, and copies it back in vain.
static void returned_always(double* a, int n, int count) {
  double sum = 0;
#pragma omp target enter data map(to : a[0 : n])
  for (int t = 0; t < count; ++t) {
    for (int i = 0; i < n; ++i) a[i] += i % (t + 2);
#pragma omp target teams distribute parallel for map(always, tofrom : a[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i];
  }
#pragma omp target exit data map(release : a[0 : n])
  printf("%.9g\n", sum);
}

// The `always` copies data that is present back, and sends it in vain.
static void overwritten_always(double* a, int n, int count) {
#pragma omp target enter data map(alloc : a[0 : n])
  for (int t = 0; t < count; ++t) {
#pragma omp target data map(always, tofrom : a[0 : n])
    {
      for (int i = 0; i < n; ++i) a[i] += i % (t + 2);
#pragma omp target update to(a[0 : n])
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; ++i) a[i] *= 2;
    }
  }
#pragma omp target exit data map(release : a[0 : n])
}

// What goes over is the same each time, unless the host changes it.
static void sent_the_same(double* a, int n, int count) {
  double sum = 0;
#pragma omp target enter data map(to : a[0 : n])
  for (int t = 0; t < count; ++t) {
    if (n < 0) a[t] = -t;
#pragma omp target teams distribute parallel for map(always, to : a[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i];
  }
#pragma omp target exit data map(release : a[0 : n])
  printf("%.9g\n", sum);
}

__attribute__((noinline)) static void filled(double* a, int n, int count) {
  for (int t = 0; t < count; ++t) {
#pragma omp target teams distribute parallel for map(from : a[0 : n])
    for (int i = 0; i < n; ++i) a[i] = 2 * i + t;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; ++i) a[i] *= a[i];
  }
}

// Each iteration fills it first; but the second call has none.
static void no_pass(double* a, int n, int count) {
  filled(a, n, count);
  for (int i = 0; i < n; ++i) a[i] = i;
  filled(a, n, 0);
}

// The first directive of an iteration uses it, and does not fill it.
static void not_filled(double* a, int n, int count) {
  double sum = 0;
  for (int t = 0; t < count; ++t) {
#pragma omp target teams distribute parallel for map(alloc : a[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      if (count < 0) a[i] = i;
      sum += count < 0 ? a[n - 1 - i] : 1;
    }
#pragma omp target teams distribute parallel for map(to : a[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i];
  }
  printf("%.9g\n", sum);
}

// One expression stands for half of it, and then for all.
static void grows(double* a, int n, int count) {
  int m = n / 2;
  for (int t = 0; t < count; ++t) {
    if (t == 2) m = n;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : m])
    for (int i = 0; i < m; ++i) a[i] += 1;
  }
}

__attribute__((noinline)) static int length(int n, int t) { return t < 0 ? t : n - 1; }

// Its length has a name that the loop declares.
static void named_later(double* a, int n, int count) {
  for (int t = 0; t < count; ++t) {
    const int m = length(n, t);  // @later
#pragma omp target teams distribute parallel for map(tofrom : a[0 : m])
    for (int i = 0; i < m; ++i) a[i] += 1;
  }
}

// A later entry of one iteration, which spares nothing, maps more than is kept.
__attribute__((noinline)) static void wider(double* a, int n, int count, int twice) {
  for (int t = 0; t < count; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; ++i) a[i] += 1;
    if (twice) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : 2 * n])
      for (int i = 0; i < 2 * n; ++i) a[i] *= 2;
    }
  }
}

static void one_pass_of_more(double* a, int n, int count) {
  wider(a, n / 2, count, 0);
  wider(a, n / 2, 1, 1);
}

// A later entry of one iteration uses the host's changed copy.
__attribute__((noinline)) static void goes_on(double* a, int n, int count, int again) {
  for (int t = 0; t < count; ++t) {
    if (t > 0 || again) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
      for (int i = 0; i < n; ++i) a[i] += t + 1;
    } else {
#pragma omp target teams distribute parallel for map(from : a[0 : n])
      for (int i = 0; i < n; ++i) a[i] = 2 * i;
    }
  }
}

static void one_pass_otherwise(double* a, int n, int count) {
  goes_on(a, n, count, 0);
  for (int i = 0; i < n; ++i) a[i] = a[i] / 2;
  goes_on(a, n, 1, 1);
}

// Between the links of a chain the pointer is set to other data.
static void called_otherwise(double* a, int n, int count) {
  double* other = calloc(n, sizeof *other);
  double* p = a;
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])  // @p
  for (int i = 0; i < n; ++i) p[i] += 1;
  p = other;
#pragma omp target teams distribute parallel for map(from : p[0 : n])
  for (int i = 0; i < n; ++i) p[i] = i * count;
  double* q = a;
#pragma omp target teams distribute parallel for map(tofrom : q[0 : n])  // @q
  for (int i = 0; i < n; ++i) q[i] *= 3;
  printf("%.9g\n", p[n - 1]);
  free(other);
}

// After the loop its name is that of other data, which no directive has mapped.
static void swapped_away(double* a, int n, int count) {
  double* made = calloc(n, sizeof *made);
  double* other = made;
  double* p = a;
  for (int t = 0; t <= count; ++t) {
    if (t % 4 == 2) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])  // @swapped
      for (int i = 0; i < n; ++i) p[i] += t;
    }
    double* next = other;
    other = p;
    p = next;
  }
#pragma omp target update to(p[0 : n])
  printf("%.9g\n", p[n - 1]);
  free(made);
}

// The host uses its copy as a scratch pad, and has it restored.
static void restored(double* a, int n, int count) {
  double sum = 0;
#pragma omp target enter data map(to : a[0 : n])
  for (int t = 0; t < count; ++t) {
    for (int i = 0; i < n; ++i) a[i] = a[i] * 0.5 + t;
  }
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
#pragma omp target exit data map(from : a[0 : n])
  printf("%.9g\n", sum);
}

// A kernel that does not name it spoils the second copy of each iteration.
static void spoilt(double* a, int n, int count) {
  double sum = 0;
  for (int t = 0; t < count; ++t) {
#pragma omp target enter data map(to : a[0 : n])
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i];
#pragma omp target exit data map(release : a[0 : n])
#pragma omp target enter data map(to : a[0 : n])
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i] *= 2;
#pragma omp target exit data map(release : a[0 : n])  // kernel: changes a // @spoil
  }
  printf("%.9g\n", sum);
}

static const struct {
  const char* name;
  void (*run)(double* a, int n, int count);
} kWays[] = {
    {"updated_within", updated_within},
    {"swapped_away", swapped_away},
    {"sent_always", sent_always},
    {"returned_always", returned_always},
    {"overwritten_always", overwritten_always},
    {"sent_the_same", sent_the_same},
    {"no_pass", no_pass},
    {"not_filled", not_filled},
    {"grows", grows},
    {"named_later", named_later},
    {"one_pass_of_more", one_pass_of_more},
    {"one_pass_otherwise", one_pass_otherwise},
    {"called_otherwise", called_otherwise},
    {"restored", restored},
    {"spoilt", spoilt},
    {NULL, NULL},
};

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int n = atoi(argv[2]);
  const int count = atoi(argv[3]);
  double* a = malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i) a[i] = i;
  size_t way = 0;
  while (kWays[way].name != NULL && strcmp(argv[1], kWays[way].name) != 0) ++way;
  if (kWays[way].name == NULL) return 2;
  kWays[way].run(a, n, count);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * (i % 7);
  printf("%.9g\n", sum);
  free(a);
  return 0;
}
