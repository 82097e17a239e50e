! Data of a module, and procedures that map what they are given.
module fields
  implicit none
  integer, parameter :: n = 500
  real(8) :: grid(n)
  real(8), allocatable :: heat(:,:)
contains
  subroutine push(x, y)
    real(8), intent(in) :: x(:)
    real(8), intent(inout) :: y(:,:)
    !$omp target data map(to: x) map(tofrom: y)
    !$omp target update to(y)
    !$omp end target data
  end subroutine
  subroutine outer(m)
    integer, intent(in) :: m
    real(8) :: local(m)
    local = 1
    call inner
  contains
    subroutine inner
      !$omp target data map(to: local)
      !$omp target update from(local)
      !$omp end target data
    end subroutine
  end subroutine
  subroutine twin
    real(8), save :: v(100)
    v = 1
    ! These stand where those of the other twin do.
    !$omp target enter data map(to: v)
    !$omp target exit data map(from: v)
  end subroutine
end module
