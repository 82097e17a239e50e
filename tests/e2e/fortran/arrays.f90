! Every kind of array that flang maps on a host device: explicit shape, allocatable of two ranks, a
! pointer, an allocatable scalar, sections, a module's data, other files' procedures.
program arrays
  use fields
  use others, only: other_twin => twin
  implicit none
  real(8), pointer :: p(:)
  real(8), target :: q(300)
  real(8), allocatable :: a(:), s
  real(8) :: z(50), deep(10,20,30)
  integer :: i
  allocate(a(1000), heat(20,30), s)
  grid = 1; heat = 2; a = 3; q = 5; z = 6; s = 7; deep = 8
  p => q
  !$omp target enter data map(to: grid, heat)
  !$omp target enter data map(to: a)
  !$omp target enter data map(to: p)
  !$omp target enter data map(to: s)
  !$omp target data map(tofrom: z(11:20)) map(to: deep(1:10,1:20,2:3))
  do i = 1, 2
    !$omp target update to(grid(1:100)) from(heat)
    !$omp target update from(p)
  end do
  !$omp end target data
  !$omp target exit data map(from: a)
  !$omp target exit data map(from: p)
  !$omp target exit data map(delete: grid, heat, s)
  call push(z, heat)
  call outer(40)
  call legacy(z, 50)
  call twin
  call other_twin
end program
