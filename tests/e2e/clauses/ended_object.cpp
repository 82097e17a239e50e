// An object whose end deletes its data: the host reads what it had copied back before.
#include <cstdio>
#include <utility>

class Lattice {
 public:
  explicit Lattice(int n) : n_(n), f_(new double[n]), g_(new double[n]), sums_(new double[n]) {
    for (int i = 0; i < n; ++i) f_[i] = g_[i] = i;
#pragma omp target enter data map(to : f_[0 : n_], g_[0 : n_])
  }
  ~Lattice() {
#pragma omp target exit data map(delete : f_[0 : n_], g_[0 : n_])
    delete[] f_;
    delete[] g_;
    delete[] sums_;
  }
  Lattice(const Lattice&) = delete;
  Lattice& operator=(const Lattice&) = delete;

  void step() {
    const int n = n_;
    double* f = f_;
    double* g = g_;
#pragma omp target teams distribute parallel for map(tofrom : f[0 : n], g[0 : n])
    for (int i = 0; i < n; ++i) g[i] = f[(i + 1) % n] * 0.5;
    std::swap(f_, g_);
  }
  double sum() {
    double* f = f_;
#pragma omp target update from(f[0 : n_])
    double all = 0;
    for (int i = 0; i < n_; ++i) all += sums_[i] = f[i];
    return all;
  }

 private:
  int n_;
  double* f_;
  double* g_;
  double* sums_;
};

int main() {
  Lattice lattice(1000);
  for (int t = 0; t < 6; ++t) {
    lattice.step();
    std::printf("%g\n", lattice.sum());
  }
}
