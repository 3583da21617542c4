//! Where a surface is sampled: faces, sharp edges, sharp corners.
