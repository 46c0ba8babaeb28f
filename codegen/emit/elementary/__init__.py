"""Elementary functions on SIMD lanes: rigorous interval operations and fast point operations, without libm."""
