// One view of one frame, shared by all stages. Positions are relative to the frame's origin [m], y up; colours are
// linear Rec.709, radiance in units where the sun above the air has irradiance 20. Twin: kst_gl_frame in frame.h.
layout(std140) uniform Frame {
    mat4 u_clip;        // clip from relative
    vec4 u_fraction;    // xyz: camera's fraction of a lattice step; w: lattice step along y
    vec4 u_eye;         // xyz: eye; w: lattice step along x and z
    ivec4 u_lattice;    // lattice steps a cell, cells along x, cells along z, drawing bits
    vec4 u_right;       // xyz axes of the view; w: tangent of half the field of view, horizontal
    vec4 u_up;          // w: vertical
    vec4 u_back;        // w: world height of the origin
    vec4 u_viewport;    // width, height, 1/width, 1/height
    vec4 u_sun;         // xyz: toward the sun; w: tangent of its elevation
    vec4 u_sunlight;    // rgb: irradiance on a plane that faces the sun; w: haze
    vec4 u_ambient;     // rgb: irradiance of the sky on level ground, even part; w: exposure
    vec4 u_ambient_up;  // rgb: added for a normal along +y; w: share of night sight 0..1
    vec4 u_ambient_sun; // rgb: added for a normal along the sun's azimuth; w: contour distance [m]
    vec4 u_lines;       // snow line, tree line, water [world m]; size of the land's relief over 1500 m
    vec4 u_land;        // gain of slopes, map sample [m], height of clouds [world m], softness of shadows
    vec4 u_bump;        // amplitudes of small relief: 430, 53, 6.1, 1.15 m tiles, 0..1
    vec4 u_place;       // xz of the origin from the ground's origin [m], 1 / size of the ground [1/m]
    vec4 u_height;      // height map: offset, scale [m]; y of the ground's origin [m]; w: lowest ground [world m]
    vec4 u_noise[12];   // of a noise scale: cos/tile, sin/tile, offset
    vec4 u_background;  // rgb sRGB
    vec4 u_wire;        // rgb linear; w: nudge toward the eye
    vec4 u_key[8];      // rgb linear: colours of the overlay; w of the first: error allowed a metre, of the second: highest slot
};

const int KARST_CONTOUR = 2, KARST_LEVEL = 4, KARST_ERROR = 8, KARST_METHOD = 16, KARST_RESIDENCY = 32, KARST_BANDS = 64, KARST_SKY = 256,
          KARST_FLAT = 512, KARST_MAP_NORMALS = 1024, KARST_WIRE = 2048, KARST_SURROUND = 4096;
