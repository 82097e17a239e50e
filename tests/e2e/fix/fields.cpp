// Private members of an object: the loop is in a method, the kernels in another one.
#include <cstdio>
#include <utility>

class Grid {
 public:
  explicit Grid(int n) : n_(n), u_(new double[n]), v_(new double[n]) {
    for (int i = 0; i < n; ++i) u_[i] = v_[i] = i % 7;
  }
  ~Grid() {
    delete[] u_;
    delete[] v_;
  }
  void run(int steps) {
    for (int t = 0; t < steps; ++t) {
      step();
      std::swap(u_, v_);
      if (t % 8 == 7) std::printf("%.6f\n", sum());
    }
  }
  double sum() const {
    double all = 0;
    for (int i = 0; i < n_; ++i) all += u_[i];
    return all;
  }

 private:
  void step() {
    double* u = u_;
    double* v = v_;
    const int n = n_;
#pragma omp target teams distribute parallel for map(to : u[0 : n]) map(tofrom : v[0 : n])
    for (int i = 1; i < n - 1; ++i) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }
  int n_;
  double* u_;
  double* v_;
};

int main() {
  Grid grid(50000);
  grid.run(16);
  std::printf("%.6f\n", grid.sum());
}
