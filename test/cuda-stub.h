// What nvcc brings along, as far as the page's CUDA view uses it: for clang without the CUDA toolkit.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
struct float2 { float x, y; };
struct uint2 { unsigned x, y; };
struct uint3 { unsigned x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct dim3 { unsigned x, y, z; };
__device__ inline float2 make_float2(float x, float y) { return float2{x, y}; }
__device__ inline uint2 make_uint2(unsigned x, unsigned y) { return uint2{x, y}; }
__device__ inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{x, y, z}; }
__device__ inline float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }
__device__ inline int4 make_int4(int x, int y, int z, int w) { return int4{x, y, z, w}; }
__device__ inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
#define threadIdx (uint3{(unsigned)__nvvm_read_ptx_sreg_tid_x(), (unsigned)__nvvm_read_ptx_sreg_tid_y(), (unsigned)__nvvm_read_ptx_sreg_tid_z()})
#define blockIdx (uint3{(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(), (unsigned)__nvvm_read_ptx_sreg_ctaid_z()})
#define blockDim (dim3{(unsigned)__nvvm_read_ptx_sreg_ntid_x(), (unsigned)__nvvm_read_ptx_sreg_ntid_y(), (unsigned)__nvvm_read_ptx_sreg_ntid_z()})
#define warpSize 32u
__device__ inline float __shfl_xor_sync(unsigned mask, float a, unsigned by) { return __nvvm_shfl_sync_bfly_f32(mask, a, by, 31); }
__device__ inline int __shfl_xor_sync(unsigned mask, int a, unsigned by) { return __nvvm_shfl_sync_bfly_i32(mask, a, by, 31); }
__device__ inline unsigned __shfl_xor_sync(unsigned mask, unsigned a, unsigned by) { return __nvvm_shfl_sync_bfly_i32(mask, a, by, 31); }
#define OF(name) extern "C" __device__ float __nv_##name##f(float); __device__ inline float name(float a) { return __nv_##name##f(a); }
OF(exp) OF(exp2) OF(log) OF(log2) OF(sin) OF(cos) OF(tan) OF(tanh) OF(sinh) OF(cosh) OF(asin) OF(acos) OF(atan) OF(sqrt) OF(rsqrt) OF(rint)
OF(floor) OF(ceil) OF(trunc)
extern "C" __device__ float __nv_powf(float, float);
extern "C" __device__ float __nv_atan2f(float, float);
__device__ inline float pow(float a, float b) { return __nv_powf(a, b); }
__device__ inline float atan2(float a, float b) { return __nv_atan2f(a, b); }
__device__ inline float abs(float a) { return __builtin_fabsf(a); }
__device__ inline int abs(int a) { return a < 0 ? -a : a; }
__device__ inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ inline unsigned atomicAdd(unsigned* at, unsigned a) { return __atomic_fetch_add(at, a, __ATOMIC_RELAXED); }
__device__ inline int atomicAdd(int* at, int a) { return __atomic_fetch_add(at, a, __ATOMIC_RELAXED); }
__device__ inline int atomicMax(int* at, int a) { return __atomic_fetch_max(at, a, __ATOMIC_RELAXED); }
template <class T> __device__ inline T min(T a, T b) { return b < a ? b : a; }
template <class T> __device__ inline T max(T a, T b) { return a < b ? b : a; }
