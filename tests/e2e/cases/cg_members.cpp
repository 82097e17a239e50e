// Conjugate gradients on a tridiagonal matrix, with the vectors as members.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

class Solver {
 public:
  explicit Solver(int n) : n_(n), x_(n, 0.0), r_(n), p_(n), q_(n), diagonal_(n) {
    for (int i = 0; i < n; ++i) {
      diagonal_[i] = 4.0 + (i % 7) * 0.25;
      r_[i] = p_[i] = 1.0 + (i % 5);
    }
  }

  int solve(int most, double tolerance) {
    double rr = dot(r_, r_);
    int step = 0;
    for (; step < most && std::sqrt(rr) > tolerance; ++step) {
      multiply();
      const double alpha = rr / dot(p_, q_);
      advance(alpha);
      const double next = dot(r_, r_);
      turn(next / rr);
      rr = next;
    }
    return step;
  }

  double sum() const {
    double sum = 0;
    for (double each : x_) sum += each;
    return sum;
  }

 private:
  void multiply() {
    const int n = n_;
    const double* d = diagonal_.data();
    const double* p = p_.data();
    double* q = q_.data();
#pragma omp target teams distribute parallel for map(to : d[0 : n], p[0 : n]) map(from : q[0 : n])
    for (int i = 0; i < n; ++i) {
      double value = d[i] * p[i];
      if (i > 0) value -= p[i - 1];
      if (i + 1 < n) value -= p[i + 1];
      q[i] = value;
    }
  }

  double dot(const std::vector<double>& one, const std::vector<double>& other) const {
    const int n = n_;
    const double* a = one.data();
    const double* b = other.data();
    double sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n]) map(tofrom : sum) \
    reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }

  void advance(double alpha) {
    const int n = n_;
    double* x = x_.data();
    double* r = r_.data();
    const double* p = p_.data();
    const double* q = q_.data();
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n], r[0 : n]) \
    map(to : p[0 : n], q[0 : n])
    for (int i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
  }

  void turn(double beta) {
    const int n = n_;
    double* p = p_.data();
    const double* r = r_.data();
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n]) map(to : r[0 : n])
    for (int i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
  }

  int n_;
  std::vector<double> x_, r_, p_, q_, diagonal_;
};

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 20000;
  Solver solver(n);
  const int steps = solver.solve(50, 1e-9);
  std::printf("%d steps, %.6f\n", steps, solver.sum());
}
