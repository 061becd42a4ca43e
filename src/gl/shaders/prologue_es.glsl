#version 300 es
precision highp float;
precision highp int;
precision highp isampler2D;
precision highp usampler2D;
precision highp isampler2DArray;
precision highp usampler2DArray;
#define KARST_PRECISE
