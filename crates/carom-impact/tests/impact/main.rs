//! Impacts as pure functions: known outcomes, laws, large islands, friction, jams.

mod discs;
mod flexible;
mod friction;
mod jams;
mod properties;
mod random;
mod scale;
mod space;
mod staggered;
mod values;

use carom_testing::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
