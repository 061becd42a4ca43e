// Land beyond the border: the maps again, mirrored, found by marching. It fills what nothing else covers.

// Distance from the eye to the mirrored land along d, or 0. limit: how far to look.
float surround_hit(vec3 eye, vec3 d, float limit) {
    vec2 uv = map_uv(eye.xz), speed = d.xz * u_place.zw;
    // From where the ray leaves the field.
    vec2 side = mix(-uv / speed, (1.0 - uv) / speed, vec2(greaterThan(speed, vec2(0.0))));
    bool inside = all(lessThan(abs(uv - 0.5), vec2(0.5)));
    float t = inside ? min(side.x, side.y) + 0.25 * u_land.y : u_land.y, before = t;
    float top = u_height.z + u_height.x + u_height.y;
    for (int k = 0; k < 110 && before < limit; ++k) {
        t = min(t, limit);
        vec3 q = eye + d * t;
        if (q.y > top && d.y >= 0.0) return 0.0;
        vec2 at = map_uv(q.xz);
        bool there = any(greaterThan(abs(at - 0.5), vec2(0.5)));
        if (there && map_height(at) > q.y) {
            for (int m = 0; m < 8; ++m) {
                float mid = 0.5 * (before + t);
                q = eye + d * mid;
                if (map_height(map_uv(q.xz)) > q.y) t = mid; else before = mid;
            }
            return t;
        }
        before = t;
        t += max(0.8 * u_land.y, 0.035 * t);
    }
    return 0.0;
}
