//! What a strike sees of a body: its rigid motion, and its modes at one point.
