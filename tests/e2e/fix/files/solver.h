void relax(int n, const double* in, double* out);
double norm(int n, const double* a);
extern double factor;
