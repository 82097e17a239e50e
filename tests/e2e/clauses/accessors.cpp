// An object whose members a clause maps, and functions of its class that a kernel uses them by.
#include <cstdio>

struct Pair {
  double factor = 2;
  double* in = nullptr;
  double* out = nullptr;
  int size = 0;

  explicit Pair(int n) : in(new double[n]()), out(new double[n]()), size(n) {
#pragma omp target enter data map(to : factor, in[0 : size], out[0 : size])
  }
  ~Pair() {
#pragma omp target exit data map(delete : factor, in[0 : size], out[0 : size])
    delete[] in;
    delete[] out;
  }
  void set(int i, double value) { out[i] = value; }
  double scaled(int i) const { return factor * (in[i] + 1); }
};

int main() {
  Pair data(1000);
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 1000; ++i) data.set(i, data.scaled(i));
#pragma omp target update from(data.out[0 : 1000])
  std::printf("%g\n", data.out[3]);
  return data.out[3] == 2 ? 0 : 1;
}
