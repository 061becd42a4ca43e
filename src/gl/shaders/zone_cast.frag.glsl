// Depth alone.
void main() {}
