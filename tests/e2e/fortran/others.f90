! Another module's procedure of the same name, whose ends stand on the lines of the first one's
! begins.























module others
contains
  subroutine twin
    real(8), save :: v(100)
    v = 1
    !$omp target exit data map(from: v)
    !$omp target enter data map(to: v)
    !$omp target exit data map(from: v)
  end subroutine
end module
