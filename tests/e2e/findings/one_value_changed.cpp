// Data that each iteration copies back and sends again. The host changes one value, of the index
// given, from an iteration on. Fingerprints read 4 of each 25 kB.
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int count, char** arguments) {
  const int n = 200000;
  const int index = count > 1 ? std::atoi(arguments[1]) : 5;
  const int from = count > 2 ? std::atoi(arguments[2]) : 0;
  std::vector<double> z(n, 0);
  double* c = z.data();
#pragma omp target enter data map(to : c[0 : n])
  for (int t = 0; t < 20; t++) {
#pragma omp target update from(c[0 : n])
    if (t >= from) c[index] += 1;
#pragma omp target update to(c[0 : n])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) c[i] += 0.5;
  }
#pragma omp target exit data map(from : c[0 : n])
  std::printf("%g\n", c[index]);
}
