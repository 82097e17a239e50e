// Kernels that call a member function map their object without a clause and
// without an expression: it is `this`.
//= total: HtoD 2 800, DtoH 2 800, alloc 2 800, delete 2 800, kernel 2
//= target@called x1: HtoD 1 400, DtoH 1 400, alloc 1, kernel 1
//= target@twice x1: HtoD 1 400, DtoH 1 400, alloc 1, kernel 1
//= this: HtoD 2 800, DtoH 2 800

class Field {
 public:
  double first() const { return values_[0]; }
  void step() {
    for (double& value : values_) value += 1.0;
  }
  void step_there() {
#pragma omp target  // @called
    step();
  }
  void step_twice_there() {
#pragma omp target  // @twice
    {
      step();
      step();
    }
  }

 private:
  double values_[50] = {};
};

int main() {
  Field field;
  field.step_there();
  field.step_twice_there();
  return field.first() == 3.0 ? 0 : 1;
}
