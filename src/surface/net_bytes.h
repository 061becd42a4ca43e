// SPDX-License-Identifier: MIT
// A net's elements as bytes, a fixed number each, so that a part of them can be kept apart. What finishing works out is
// not among them.
#pragma once
#include "core/core.h"
#include "karst/net.h"

typedef enum kst_net_part { KST_NET_CORNERS, KST_NET_EDGES, KST_NET_PATCHES, KST_NET_PARTS } kst_net_part;

enum { KST_NET_HEAD_BYTES = 38 };

// What elements there are, and where.
typedef struct kst_net_head {
    karst_pos origin;
    int step_log2;
    int32_t count[KST_NET_PARTS];
} kst_net_head;

kst_net_head kst_net_head_of(const karst_net *net);
void kst_net_head_put(const kst_net_head *head, uint8_t out[KST_NET_HEAD_BYTES]);
// From untrusted bytes; one line says what is out of range.
karst_status kst_net_head_read(const uint8_t *bytes, size_t size, karst_report *report, kst_net_head *out);

size_t kst_net_element_bytes(kst_net_part part);
void kst_net_put_elements(const karst_net *net, kst_net_part part, int32_t first, int32_t count, uint8_t *out);
// Add elements to a net from untrusted bytes; karst_net_finish() then judges them.
karst_status kst_net_add_elements(karst_net *net, kst_net_part part, int32_t count, const uint8_t *bytes);
