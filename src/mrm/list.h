// SPDX-License-Identifier: MIT
// From the generator's order to what meshes are made of.
#pragma once
#include "mesh/mrm.h"
#include "mrm/order.h"

karst_status kst_order_list(const kst_order *o, const karst_progress *progress, karst_report *report,
                            kst_mrm_list *out);

// curve.c: the errors of the curve, measured against the source [m].
karst_status kst_mrm_measure(karst_mrm *mrm, const kst_nearby *source, const karst_progress *progress,
                             karst_report *report);
