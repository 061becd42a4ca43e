// Holes of the field: a bit a cell of level 0.
uniform highp usampler2D u_hole_tile;  // a texel a chunk of level 0: 1 + its tile of bits, 0: no hole
uniform highp usampler2D u_hole_bits;  // tiles of 2 x 64 texels of 32 cells, 512 tiles a row

// The bit of the cell, at every level of detail: field coordinates are affine on each drawn triangle.
bool is_hole(ivec2 cell) {
    if (any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, u_lattice.yz))) return true;
    int tile = int(texelFetch(u_hole_tile, cell >> 6, 0).x);
#ifdef KARST_NO_BITS
    return false;  // the control of the hole test
#endif
    if (tile == 0) return false;
    ivec2 at = ivec2((tile - 1) & 511, (tile - 1) >> 9) * ivec2(2, 64), inside = cell & 63;
    uint bits = texelFetch(u_hole_bits, at + ivec2(inside.x >> 5, inside.y), 0).x;
    return ((bits >> uint(inside.x & 31)) & 1u) != 0u;
}
