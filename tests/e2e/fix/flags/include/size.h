#define SIZE 100000
