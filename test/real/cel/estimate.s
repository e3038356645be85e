// Empty: it allows functions without a body, which go:linkname fills in.
