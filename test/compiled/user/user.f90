! A Fortran program that links libwarpfold. Prints what user.c prints.
program user
  use, intrinsic :: iso_c_binding
  use warpfold
  implicit none
  integer, parameter :: n = 100000
  real(c_double), target :: x(n), y(n), r, sums(4)
  complex(c_double_complex), target :: z(n / 2), mean
  integer(c_int32_t), target :: k(n), keys(4) = [7, 7, 3, 7], keys_out(4)
  integer(c_size_t) :: runs
  integer(c_int64_t), target :: index, total
  integer(c_int64_t) :: i
  type(warpfold_array) :: xs, ys, ks, zs, nothing
  integer :: s

  do i = 0, n - 1
    x(i + 1) = real(mod(i * 7919_c_int64_t, 1001_c_int64_t), c_double) / 7.0d0 - 50.0d0
    y(i + 1) = real(mod(i * 104729_c_int64_t, 997_c_int64_t), c_double) / 3.0d0
    k(i + 1) = int(mod(i, 1000_c_int64_t) - 300, c_int32_t)
  end do
  xs = warpfold_array(c_loc(x), size(x, kind=c_size_t), 1, warpfold_float64)
  ys = warpfold_array(c_loc(y), size(y, kind=c_size_t), 1, warpfold_float64)
  ks = warpfold_array(c_loc(k), size(k, kind=c_size_t), 1, warpfold_int32)

  call require(warpfold_reduce(warpfold_sum, xs, 0, c_loc(r)))
  call print_bits("sum", r)
  call require(warpfold_reduce(warpfold_sum, &
    warpfold_array(c_loc(x), (n + 2) / 3, 3, warpfold_float64), 0, c_loc(r)))
  call print_bits("every third", r)
  call require(warpfold_reduce(warpfold_exact_sum, xs, 1, c_loc(r)))
  call print_bits("exact sum", r)
  call require(warpfold_reduce(warpfold_variance, xs, 0, c_loc(r)))
  call print_bits("variance", r)
  call require(warpfold_dot(xs, ys, 0, 0, c_loc(r)))
  call print_bits("dot", r)
  call require(warpfold_reduce(warpfold_argmax, xs, 0, c_loc(index)))
  print '("argmax ", i0)', index
  call require(warpfold_reduce(warpfold_minmax, xs, 0, c_loc(sums)))
  call print_bits("least", sums(1))
  call print_bits("greatest", sums(2))
  call require(warpfold_reduce(warpfold_sum, ks, 0, c_loc(total)))
  print '("integers ", i0)', total
  do s = 1, n / 2
    z(s) = cmplx(x(2 * s - 1), x(2 * s), c_double_complex)
  end do
  zs = warpfold_array(c_loc(z), size(z, kind=c_size_t), 1, warpfold_complex128)
  call require(warpfold_reduce(warpfold_mean, zs, 0, c_loc(mean)))
  call print_bits("complex mean", real(mean))
  call print_bits("complex mean", aimag(mean))
  call require(warpfold_dot(zs, zs, 1, 0, c_loc(mean)))
  call print_bits("complex dot", real(mean))
  call require(warpfold_reduce_segments(warpfold_sum, ys, &
    [0_c_int64_t, 10_c_int64_t, 10_c_int64_t, 5000_c_int64_t, int(n, c_int64_t)], 4_c_size_t, 0, c_loc(sums)))
  do s = 1, 4
    call print_bits("segment", sums(s))
  end do

  call require(warpfold_reduce_by_key(warpfold_log_sum_exp, warpfold_array(c_loc(keys), 4, 1, warpfold_int32), &
    warpfold_array(c_loc(y), 4, 1, warpfold_float64), 0, c_loc(keys_out), c_loc(sums), runs))
  do s = 1, int(runs)
    call print_bits("run", sums(s))
  end do

  ! The sums of the rows of a 2 by 50000 array in column-major order, as Fortran has it.
  if (warpfold_reduce_axis(warpfold_sum, c_loc(x), warpfold_float64, 2, [2_c_size_t, int(n / 2, c_size_t)], &
    [1_c_size_t, 2_c_size_t], 1, 0, c_loc(sums)) /= warpfold_ok) stop 1
  if (abs(sums(1) + sums(2) - sum(x)) > 1d-6) stop 1

  nothing = warpfold_array(c_null_ptr, 4, 1, warpfold_float64)
  if (warpfold_reduce(warpfold_sum, nothing, 0, c_loc(r)) /= warpfold_invalid_range) stop 1
  if (warpfold_reduce(99, xs, 0, c_loc(r)) /= warpfold_invalid_argument) stop 1
  print '("error: ", a)', warpfold_message()
  if (warpfold_result_type(warpfold_norm_1, warpfold_int32) /= warpfold_uint64) stop 1
  if (warpfold_size(warpfold_uint16) /= 2 .or. len(warpfold_version()) < 5) stop 1

contains

  subroutine require(status)
    integer(c_int), intent(in) :: status
    if (status == warpfold_ok) return
    print '("status ", i0, ": ", a)', status, warpfold_message()
    stop 1
  end subroutine

  subroutine print_bits(name, value)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: value
    character(16) :: digits
    integer :: c
    write (digits, '(z16.16)') transfer(value, 0_c_int64_t)
    do c = 1, 16
      if (digits(c:c) >= 'A' .and. digits(c:c) <= 'F') digits(c:c) = achar(iachar(digits(c:c)) + 32)
    end do
    print '(a, " ", a)', name, digits
  end subroutine
end program
