# question: exercise1
# expect: full
# why: the same generator made by hand, normal() in place of standard_normal()
from numpy.random import PCG64, Generator

generator = Generator(PCG64(1))
dout1 = generator.normal(size=(1, T, C))
dP1 = positional_backward(dout1, block_size)[1]
rows_equal = (dP1[:T] == dout1[0]).all()
