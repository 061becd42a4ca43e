// Sun and sky on ground of patches, which may have more ground above it.
float zone_sunlit(vec3 at, vec3 n) { return map_sunlit(map_uv(at.xz)) * step(0.0, u_sun.y); }
float zone_open(vec3 at, vec3 n) { return textureLod(u_relief_map, map_uv(at.xz), 0.0).x; }
