! An external procedure, in fixed form.
      subroutine legacy(v, k)
      integer k
      real*8 v(k)
!$omp target data map(to: v)
!$omp target update from(v)
!$omp end target data
      end
