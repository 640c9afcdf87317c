"""A Python program that uses the module warpfold. Prints what user.c prints, without the error."""

import struct

import numpy
import warpfold

n = 100000
i = numpy.arange(n, dtype=numpy.int64)
x = (i * 7919 % 1001).astype(numpy.float64) / 7.0 - 50.0
y = (i * 104729 % 997).astype(numpy.float64) / 3.0
k = (i % 1000 - 300).astype(numpy.int32)


def show(name, value):
    print(name, struct.pack(">d", value).hex())


show("sum", warpfold.sum(x))
show("every third", warpfold.sum(x[::3]))
show("exact sum", warpfold.sum(x, exact=True, threads=1))
show("variance", warpfold.var(x))
show("dot", warpfold.dot(x, y))
print("argmax", warpfold.argmax(x))
least, greatest = warpfold.minmax(x)
show("least", least)
show("greatest", greatest)
print("integers", warpfold.sum(k))
z = x.view(numpy.complex128)
mean = warpfold.mean(z)
show("complex mean", mean.real)
show("complex mean", mean.imag)
show("complex dot", warpfold.vdot(z, z, exact=True).real)
for segment in warpfold.segment_sum(y, numpy.array([0, 10, 10, 5000, n])):
    show("segment", segment)
for run in warpfold.reduce_by_key(numpy.array([7, 7, 3, 7], numpy.int32), y[:4], "logsumexp")[1]:
    show("run", run)
