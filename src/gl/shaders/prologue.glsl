#version 450 core
// Desktop prologue. The files of the ground's vertex stage (frame, drawn, ground.vert) say only what GLSL ES 3.00
// can say too; prologue_es.glsl stands here then.
#define KARST_PRECISE precise
