// What the ground is made of, from the shape of the land alone. Layers lie over each other in the order of the
// structure; every border is shifted by noise at two scales at least, so that none reads as a contour line.

// slope: rise over run; curvatures as of samples 16 m apart [m, ridges positive]; flow: log2 of samples drained;
// sunny: -1 poleward .. 1; w2, w1, w0, w6: noise 0..1 with features of 1300, 110, 13 and 1.5 m.
struct Land { float slope, alt, wide, near, flow, sunny, w2, w1, w0, w6; };
struct Cover { float soil, dry, scree, rock, forest, sand, snow; };

const vec3 GRASS = vec3(0.082, 0.098, 0.036), DRY = vec3(0.180, 0.150, 0.078), FOREST = vec3(0.032, 0.046, 0.019);
const vec3 SOIL = vec3(0.120, 0.085, 0.055), ROCK = vec3(0.250, 0.238, 0.220), DARK_ROCK = vec3(0.105, 0.102, 0.100);
const vec3 SCREE = vec3(0.260, 0.240, 0.210), SAND = vec3(0.360, 0.310, 0.220), SNOW = vec3(0.840, 0.870, 0.910);

Cover cover_of(Land g) {
    Cover m;
    float size = u_lines.w, above_trees = (g.alt - u_lines.y) / size, above_snow = (g.alt - u_lines.x) / size;
    float n2 = g.w2 - 0.5, n1 = g.w1 - 0.5, n0 = g.w0 - 0.5;
    float s = g.slope + 0.35 * n1 + 0.25 * n0;
    m.rock = smoothstep(0.80, 1.05, s + 0.012 * clamp(g.wide, -15.0, 30.0) + 0.03 * clamp(g.near, -3.0, 4.0));
    m.rock = max(m.rock, smoothstep(0.0, 0.2, 0.6 * s + (above_trees - 260.0) / 600.0 - 0.35 + 0.02 * g.near));
    m.scree = smoothstep(0.52, 0.68, s) * (1.0 - smoothstep(-10.0, 4.0, g.wide + 14.0 * n1)) *
              smoothstep(-250.0, 50.0, above_trees + 200.0 * n2);
    m.soil = 0.7 * smoothstep(0.30, 0.75, 0.8 * g.slope + 0.05 * (g.flow - 3.5) + 0.6 * n0 + 0.3 * n1);
    m.dry = clamp(0.35 + 1.3 * n2 + 0.6 * n1 + 0.5 * n0 + 0.35 * (g.w6 - 0.5) + 0.35 * g.sunny - 0.05 * (g.flow - 3.0) + min(above_trees / 700.0, 0.2) +
                  0.012 * g.wide, 0.0, 1.0);
    float by_height = 0.55 - (above_trees + 160.0 * n2 + 120.0 * n1) / 140.0;
    float by_site = 1.15 + 2.6 * n2 + 1.6 * n1 - 0.5 * g.sunny + 0.04 * (g.flow - 3.0) - 0.010 * g.wide -
                    2.2 * max(g.slope - 0.62, 0.0) - 0.7 * (1.0 - smoothstep(0.0, 0.18, g.slope));
    m.forest = min(by_height, by_site);
    float hold = 1.0 - smoothstep(0.75, 1.15, s - 0.006 * g.wide);
    m.snow = hold * smoothstep(-0.12, 0.12, above_snow / 260.0 + 0.9 * n2 + 0.5 * n1 - 0.30 * g.sunny -
                               0.016 * clamp(g.wide, -20.0, 20.0) - 0.25 * g.slope + 0.35 * n0 + 0.2 * (g.w6 - 0.5) + 0.2);
    m.sand = (1.0 - smoothstep(0.5, 2.2, g.alt - u_lines.z + 1.5 * n0)) * (1.0 - smoothstep(0.25, 0.5, g.slope));
    return m;
}
