! The Fortran interface of libwarpfold: the functions and constants of warpfold.h. Indices and offsets
! count from 0, as in C: add 1 to a result of ARGMIN or ARGMAX. Fortran has no unsigned integers; read
! results of type UINT64 into an integer(c_int64_t).
module warpfold
  use, intrinsic :: iso_c_binding
  implicit none
  private :: text_at, warpfold_message_pointer, warpfold_version_pointer

  enum, bind(c)
    enumerator :: warpfold_int8 = 1, warpfold_int16, warpfold_int32, warpfold_int64
    enumerator :: warpfold_uint8, warpfold_uint16, warpfold_uint32, warpfold_uint64
    enumerator :: warpfold_float32, warpfold_float64, warpfold_complex64, warpfold_complex128
    enumerator :: warpfold_float16, warpfold_bfloat16
  end enum
  enum, bind(c)
    enumerator :: warpfold_sum = 1, warpfold_product, warpfold_minimum, warpfold_maximum
    enumerator :: warpfold_argmin, warpfold_argmax, warpfold_mean, warpfold_variance
    enumerator :: warpfold_sample_variance, warpfold_stddev, warpfold_norm_1, warpfold_norm_2
    enumerator :: warpfold_norm_infinity, warpfold_count_nonzero, warpfold_exact_sum
    enumerator :: warpfold_sample_stddev, warpfold_log_sum_exp, warpfold_minmax
  end enum
  enum, bind(c)
    enumerator :: warpfold_ok = 0, warpfold_invalid_argument, warpfold_invalid_range
    enumerator :: warpfold_empty_range, warpfold_out_of_memory, warpfold_failed
  end enum

  type, bind(c) :: warpfold_array
    type(c_ptr) :: data
    integer(c_size_t) :: count
    integer(c_size_t) :: stride = 1
    integer(c_int) :: type
  end type

  interface
    integer(c_int) function warpfold_reduce(operation, array, threads, result) bind(c)
      import :: c_int, c_ptr, warpfold_array
      integer(c_int), value :: operation, threads
      type(warpfold_array), intent(in) :: array
      type(c_ptr), value :: result
    end function
    integer(c_int) function warpfold_dot(a, b, exact, threads, result) bind(c)
      import :: c_int, c_ptr, warpfold_array
      type(warpfold_array), intent(in) :: a, b
      integer(c_int), value :: exact, threads
      type(c_ptr), value :: result
    end function
    integer(c_int) function warpfold_reduce_segments(operation, array, offsets, segments, threads, results) bind(c)
      import :: c_int, c_int64_t, c_size_t, c_ptr, warpfold_array
      integer(c_int), value :: operation, threads
      type(warpfold_array), intent(in) :: array
      integer(c_int64_t), intent(in) :: offsets(*)
      integer(c_size_t), value :: segments
      type(c_ptr), value :: results
    end function
    integer(c_int) function warpfold_reduce_axis(operation, data, type, rank, extents, strides, axis, threads, results) &
        bind(c)
      import :: c_int, c_size_t, c_ptr
      integer(c_int), value :: operation, type, rank, axis, threads
      type(c_ptr), value :: data, results
      integer(c_size_t), intent(in) :: extents(*)
      integer(c_size_t), intent(in), optional :: strides(*)
    end function
    integer(c_int) function warpfold_reduce_by_key(operation, keys, values, threads, keys_out, results, runs) bind(c)
      import :: c_int, c_size_t, c_ptr, warpfold_array
      integer(c_int), value :: operation, threads
      type(warpfold_array), intent(in) :: keys, values
      type(c_ptr), value :: keys_out, results
      integer(c_size_t), intent(out) :: runs
    end function
    integer(c_int) function warpfold_run_lengths(keys, threads, keys_out, lengths, runs) bind(c)
      import :: c_int, c_int64_t, c_size_t, c_ptr, warpfold_array
      type(warpfold_array), intent(in) :: keys
      integer(c_int), value :: threads
      type(c_ptr), value :: keys_out
      integer(c_int64_t), intent(out) :: lengths(*)
      integer(c_size_t), intent(out) :: runs
    end function
    integer(c_int) function warpfold_result_type(operation, type) bind(c)
      import :: c_int
      integer(c_int), value :: operation, type
    end function
    integer(c_size_t) function warpfold_size(type) bind(c)
      import :: c_int, c_size_t
      integer(c_int), value :: type
    end function
    type(c_ptr) function warpfold_version_pointer() bind(c, name="warpfold_version")
      import :: c_ptr
    end function
    type(c_ptr) function warpfold_message_pointer() bind(c, name="warpfold_message")
      import :: c_ptr
    end function
  end interface

contains

  ! The message of this thread's last call that returned a status; empty if it succeeded.
  function warpfold_message() result(text)
    character(:), allocatable :: text
    text = text_at(warpfold_message_pointer())
  end function

  ! The version of the library, such as "0.1.0".
  function warpfold_version() result(text)
    character(:), allocatable :: text
    text = text_at(warpfold_version_pointer())
  end function

  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: all(:)
    integer :: length
    call c_f_pointer(address, all, [1024])
    length = 0
    do while (all(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate(character(length) :: text)
    text = transfer(all(1:length), text)
  end function
end module
