// A class that keeps its data on the device between its constructor and its destructor. The object
// itself is copied, too, and its pointer is attached.
//= total: HtoD 2 8016, DtoH 1 8000, alloc 2 8016, delete 2 8016, kernel 2, internal 1 8
//= target enter data@enter x1: HtoD 2 8016, alloc 2
//= target@step x2: kernel 2
//= target update@fetch x1: DtoH 1 8000
//= target exit data@exit x1:
//= this: HtoD 1 16
//= this->cells_: HtoD 1 8000, DtoH 1 8000
#include <cstdlib>

class Grid {
 public:
  explicit Grid(int n) : n_(n), cells_(static_cast<double*>(std::calloc(n, sizeof(double)))) {
#pragma omp target enter data map(to : this[0 : 1], cells_[0 : n_])  // @enter
  }
  ~Grid() {
#pragma omp target exit data map(delete : cells_[0 : n_], this[0 : 1])  // @exit
    std::free(cells_);
  }
  void step() {
#pragma omp target  // @step
    for (int i = 0; i < n_; ++i) cells_[i] += 1.0;
  }
  double last() {
#pragma omp target update from(cells_[0 : n_])  // @fetch
    return cells_[n_ - 1];
  }

 private:
  int n_;
  double* cells_;
};

int main() {
  Grid grid(1000);
  grid.step();
  grid.step();
  return grid.last() == 2.0 ? 0 : 1;
}
