// SPDX-License-Identifier: MIT
// Sculpting a net: the brushes and strokes of fields on the control points of curved patches. See docs/patch.md.
//
// A corner owns its *star*: the handles of edges that end in it and the inner points of patches beside it. A corner
// moves by its own place in the sphere. Its star goes along, changed by one linear map that is fitted to what the brush
// would do to each of its points by theirs. So tangents in one plane stay in one plane, and patches that go on smoothly
// across an edge, with a fixed ratio of their slopes, still do. Where no point of a star lies in the sphere every bit
// stays. Corners inside edges follow their edge, and their star the large patch beyond it. Stars of corners on seams
// stay where they are.
#pragma once
#include "karst/brush.h"
#include "karst/netmove.h"
#include "karst/stroke.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A net open for brushes.
typedef struct karst_net_sculptor karst_net_sculptor;

/// Open a finished net. Until the sculptor is destroyed nothing else may add to the net or move its points.
/// @param begin what restore goes toward: the same net as it was, which must outlive the sculptor; NULL: no restore
/// @param out yours until karst_net_sculptor_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY, KARST_ERROR_ARGUMENT (begin is another net). Threads: one a net. Cost: O(net), 2 us a
/// patch; 400 bytes each.
KARST_API karst_status karst_net_sculptor_create(karst_net *net, const karst_net *begin, karst_net_sculptor **out);
/// Free a sculptor; the net stays. NULL is allowed.
KARST_API void karst_net_sculptor_destroy(karst_net_sculptor *sculptor);

/// Begin a stroke on a net; karst_stroke_add(), _end() and _destroy() do the rest. Points on the ground and rays meet
/// it before displacement. The net is finished after every call. Numbers of karst_touched: samples are control points,
/// the rect is empty. What a dab moves by less than a step is kept until the stroke ends, so weak brushes add up.
/// Smooth takes a corner along its normal to the mean of those that its edges lead to (on a border those along it), and
/// handles toward thirds of the way; detail_m is not used. Restore needs `begin`; base layers, masks and paint are of
/// fields.
/// @param progress asked once a dab; may be NULL @param report one line when a dab does not keep to the limits of a
/// net; may be NULL, must outlive the stroke @param out yours until karst_stroke_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY, KARST_ERROR_ARGUMENT (a brush that is of fields alone). Adding returns KARST_ERROR_LIMIT
/// when a patch would get larger than 120 m or a point leave the net's range: that dab is then not made.
/// Threads: one stroke a sculptor. Cost of a dab: 5 ns a patch of the net, 10 us a patch near the sphere.
KARST_API karst_status karst_net_stroke_create(karst_net_sculptor *sculptor, const karst_brush_def *def,
                                               const karst_progress *progress, karst_report *report,
                                               karst_stroke **out);

/// The patches that changed since the last call, in no order: zones that hold them want to be cut anew.
/// @param out theirs until the sculptor is used again @return their number
KARST_API int32_t karst_net_sculptor_changed(karst_net_sculptor *sculptor, const int32_t **out);

#ifdef __cplusplus
}
#endif
