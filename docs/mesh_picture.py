#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Draws meshes (.obj, as karst export writes them) side by side, seen aslant from the south, as a PPM on standard output:
#   mesh_picture.py WIDTH HEIGHT a.obj [b.obj ...]
import math
import sys

SLANT, RISE = 0.6, 2.5  # rows to lines; heights drawn larger
LIGHT = (-0.55, 0.65, -0.52)


def read_obj(path):
    vertices, triangles = [], []
    for line in open(path):
        word = line.split()
        if word and word[0] == "v":
            vertices.append(tuple(map(float, word[1:4])))
        elif word and word[0] == "f":
            triangles.append(tuple(int(w) - 1 for w in word[1:4]))
    return vertices, triangles


def shade(a, b, c):
    u = [b[k] - a[k] for k in range(3)]
    v = [c[k] - a[k] for k in range(3)]
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    n = [n[0] * RISE, n[1], n[2] * RISE]
    size = math.sqrt(sum(x * x for x in n)) or 1
    return max(0.0, sum(x * y for x, y in zip(n, LIGHT)) / size)


def fill(image, width, height, p, colour):
    low, high = math.ceil(min(q[1] for q in p)), math.floor(max(q[1] for q in p))
    for y in range(max(low, 0), min(high, height - 1) + 1):
        cuts = []
        for (x0, y0), (x1, y1) in ((p[0], p[1]), (p[1], p[2]), (p[2], p[0])):
            if y0 != y1 and min(y0, y1) <= y <= max(y0, y1):
                cuts.append(x0 + (x1 - x0) * (y - y0) / (y1 - y0))
        if cuts:
            first, last = max(math.ceil(min(cuts) - 0.5), 0), min(math.floor(max(cuts) + 0.5), width - 1)
            if first <= last:
                image[3 * (y * width + first):3 * (y * width + last + 1)] = bytes(colour) * (last - first + 1)


def line(image, width, height, p, q):
    steps = max(1, math.ceil(max(abs(q[0] - p[0]), abs(q[1] - p[1]))))
    for k in range(steps + 1):
        x, y = round(p[0] + (q[0] - p[0]) * k / steps), round(p[1] + (q[1] - p[1]) * k / steps)
        if 0 <= x < width and 0 <= y < height:
            at = 3 * (y * width + x)
            for c in range(3):
                image[at + c] = image[at + c] * 3 // 4


def draw(image, width, height, left, right, vertices, triangles):
    xs, zs = [v[0] for v in vertices], [v[2] for v in vertices]
    scale = (right - left) / (max(xs) - min(xs))
    base = min(v[1] for v in vertices)
    span = (max(zs) - min(zs)) * SLANT * scale
    top = height - 6 - span

    def place(v):
        return (left + (v[0] - min(xs)) * scale, top + ((v[2] - min(zs)) * SLANT - (v[1] - base) * RISE) * scale)

    tall = max(v[1] for v in vertices) - base or 1
    for t in sorted(triangles, key=lambda t: sum(vertices[v][2] for v in t)):
        corner = [vertices[v] for v in t]
        light = 0.45 + 0.8 * shade(*corner)
        share = (sum(v[1] for v in corner) / 3 - base) / tall
        colour = [min(255, int(light * (low + (high - low) * share))) for low, high in ((120, 235), (150, 222), (104, 196))]
        p = [place(v) for v in corner]
        fill(image, width, height, p, colour)
        for k in range(3):
            line(image, width, height, p[k], p[(k + 1) % 3])


def main():
    width, height, paths = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    image = bytearray(b"\xf4\xf2\xec" * (width * height))
    each = width / len(paths)
    for k, path in enumerate(paths):
        draw(image, width, height, k * each + 8, (k + 1) * each - 8, *read_obj(path))
    sys.stdout.buffer.write(b"P6 %d %d 255\n" % (width, height) + image)


main()
