// SPDX-License-Identifier: MIT
// Noise on any processor, one place at once.
#define NOISE_SCALAR
#define NOISE_KERNEL kst_noise_scalar
#define NOISE_NAME "scalar"
#include "op/noise_body.h"
