// What contents tell: one pattern, or a near-miss of it, by name; sizes from the arguments.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double look(const double* a, int n) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : n]) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}

static void change(double* a, int n) {
#pragma omp target teams distribute parallel for map(alloc : a[0 : n])
  for (int i = 0; i < n; ++i) a[i] += 1.0;
}

static void sent_again(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
  look(a, n);
#pragma omp target update to(a[0 : n])
  look(a, n);
#pragma omp target exit data map(release : a[0 : n])
}

static void sent_again_changed(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
  look(a, n);
  ((char*)a)[n / 2] ^= 1;
#pragma omp target update to(a[0 : n])
  look(a, n);
#pragma omp target exit data map(release : a[0 : n])
}

// The device's copy is no longer what was sent: the update restores it.
static void sent_again_restoring(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
  change(a, n);
#pragma omp target update to(a[0 : n])
  look(a, n);
#pragma omp target exit data map(release : a[0 : n])
}

static void mapped_twice(double* a, int n) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : n]) reduction(+ : sum)  // @twice
  for (int i = 0; i < n; ++i) sum += a[i];
#pragma omp target teams distribute parallel for map(to : a[0 : n]) reduction(+ : sum)  // @again
  for (int i = 0; i < n; ++i) sum -= a[i];
  if (sum > 1e-3) abort();
}

static void equal_arrays(double* a, int n) {
  double* b = malloc(n * sizeof *b);
  memcpy(b, a, n * sizeof *b);
  look(a, n);
#pragma omp target teams distribute parallel for map(to : b[0 : n])
  for (int i = 0; i < n; ++i) {
    if (b[i] < 0) abort();
  }
  free(b);
}

static void zeros(double* a, int n) {
  memset(a, 0, n * sizeof *a);
  sent_again(a, n);
}

static void two_devices(double* a, int n) {
  for (int device = 0; device < 2; ++device) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) device(device)
    for (int i = 0; i < n; ++i) {
      if (a[i] < 0) abort();
    }
  }
}

static void double_on_device(double* a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i) a[i] *= 2.0;
}

static void there_and_back(double* a, int n, int changes) {
  double_on_device(a, n);  // @there
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];  // host: reads a
  if (sum < 0) abort();
  if (changes) {
    ((char*)a)[n / 2] ^= 1;  // host: reads a, changes a
  }
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])  // @back
  for (int i = 0; i < n; ++i) a[i] += 1.0;
}

static void only_read(double* a, int n) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n], sum) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
  if (sum < 0) abort();
}

static void one_element(double* a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i) {
    if (i == n / 2) a[i] = -1.0;
  }
}

// Two buffers take turns; each is filled again before it is sent.
static void alternating(double* a, int n, int count) {
  double* b = malloc(n * sizeof *b);
#pragma omp target enter data map(alloc : a[0 : n], b[0 : n])
  for (int pass = 0; pass < count; ++pass) {
    double* buffer = pass % 2 ? b : a;
    for (int i = 0; i < n; ++i) buffer[i] = i + pass;
#pragma omp target update to(buffer[0 : n])
    look(buffer, n);
  }
#pragma omp target exit data map(release : a[0 : n], b[0 : n])
  free(b);
}

static void loop_unchanged(double* a, int n, int count) {
  double sum = 0;
  for (int pass = 0; pass < count; ++pass) {
    double_on_device(a, n);
    for (int i = 0; i < n; ++i) sum += a[i];  // host: reads a
  }
  printf("%g\n", sum);
}

static void loop_changed(double* a, int n, int count) {
  for (int pass = 0; pass < count; ++pass) {  // @changed
    ((char*)a)[pass] ^= 1;
    double_on_device(a, n);
  }
}

// The allocator gives the same memory again, and other data is in it.
static void freed_and_made_anew(int n, int count) {
  for (int pass = 0; pass < count; ++pass) {
    double* made = malloc(n * sizeof *made);
    for (int i = 0; i < n; ++i) made[i] = i + pass;
    double sum = 0;
#pragma omp target teams distribute parallel for map(to : made[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += made[i];
    if (sum < 0) abort();
    free(made);
  }
}

// The mapping's send and the update's are the same: either would do, but not neither.
static void sent_over(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
#pragma omp target update to(a[0 : n])
  look(a, n);
#pragma omp target exit data map(release : a[0 : n])
}

static void sent_over_in_each_pass(double* a, int n, int count) {
#pragma omp target enter data map(to : a[0 : n])
  for (int pass = 0; pass < count; ++pass) {
#pragma omp target update to(a[0 : n])
    look(a, n);
  }
#pragma omp target exit data map(release : a[0 : n])
}

static void returned_twice(double* a, int n, int count, int changes) {
#pragma omp target enter data map(to : a[0 : n])
  for (int pass = 0; pass < count; ++pass) {
    change(a, n);
#pragma omp target update from(a[0 : n])
    if (changes) change(a, n);
#pragma omp target update from(a[0 : n])
  }
#pragma omp target exit data map(release : a[0 : n])
}

// The host uses its copy as a scratch pad, and gets the result back again.
static void returned_to_restore(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
  change(a, n);
#pragma omp target update from(a[0 : n])
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < n; ++i) a[i] = a[i] * 0.5 + round;
  }
#pragma omp target update from(a[0 : n])
#pragma omp target exit data map(release : a[0 : n])
  if (a[0] != 1.25) abort();
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const char* pattern = argv[1];
  const int n = atoi(argv[2]);
  const int count = atoi(argv[3]);
  double* a = malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i) a[i] = i % 1000 + 0.25;
  if (strcmp(pattern, "sent_again") == 0) sent_again(a, n);
  if (strcmp(pattern, "sent_again_changed") == 0) sent_again_changed(a, n);
  if (strcmp(pattern, "sent_again_restoring") == 0) sent_again_restoring(a, n);
  if (strcmp(pattern, "mapped_twice") == 0) mapped_twice(a, n);
  if (strcmp(pattern, "equal_arrays") == 0) equal_arrays(a, n);
  if (strcmp(pattern, "zeros") == 0) zeros(a, n);
  if (strcmp(pattern, "two_devices") == 0) two_devices(a, n);
  if (strcmp(pattern, "there_and_back") == 0) there_and_back(a, n, 0);
  if (strcmp(pattern, "there_and_back_changed") == 0) there_and_back(a, n, 1);
  if (strcmp(pattern, "only_read") == 0) only_read(a, n);
  if (strcmp(pattern, "one_element") == 0) one_element(a, n);
  if (strcmp(pattern, "alternating") == 0) alternating(a, n, count);
  if (strcmp(pattern, "loop_unchanged") == 0) loop_unchanged(a, n, count);
  if (strcmp(pattern, "loop_changed") == 0) loop_changed(a, n, count);
  if (strcmp(pattern, "freed_and_made_anew") == 0) freed_and_made_anew(n, count);
  if (strcmp(pattern, "sent_over") == 0) sent_over(a, n);
  if (strcmp(pattern, "sent_over_in_each_pass") == 0) sent_over_in_each_pass(a, n, count);
  if (strcmp(pattern, "returned_twice") == 0) returned_twice(a, n, count, 0);
  if (strcmp(pattern, "returned_changed") == 0) returned_twice(a, n, count, 1);
  if (strcmp(pattern, "returned_to_restore") == 0) returned_to_restore(a, n);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  printf("%g\n", sum);
  free(a);
  return 0;
}
