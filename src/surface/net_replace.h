// SPDX-License-Identifier: MIT
// A region of a field that a fit takes the place of.
#pragma once
#include "karst/netfit.h"

// What karst_net_fit_def.replace asks of a fit, but ground along the border. *rect, inside the field, is cut to whole
// patches of the field.
karst_status kst_net_replace_rect(const karst_net_fit_def *def, const karst_net *net, const karst_field_shape *shape,
                                  karst_rect *rect);
