//! A world of either space behind one face, for whoever records or shows it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use carom_contact::{Plane, Space};

use crate::{
    ContactEvent, FlexibleWorld, Frame, GuardReport, Ledger, ModeState, Response, State, StepReport, World,
    WorldDefinition, WorldError,
};

/// A world of the plane or of space. Bodies are in the order of their names.
#[derive(Debug)]
pub enum System {
    /// Of the plane.
    Plane(World<Plane, 3>),
    /// Of space.
    Space(World<Space, 6>),
    /// Of space, with bodies that flex while they touch.
    Flexible(Box<FlexibleWorld>),
}

/// Does the same in either space.
macro_rules! either {
    ($system:expr, $world:ident => $answer:expr) => {
        match $system {
            System::Plane($world) => $answer,
            System::Space($world) => $answer,
            System::Flexible($world) => $answer,
        }
    };
}

impl System {
    /// A world of the plane.
    pub fn plane(definition: WorldDefinition<Plane>) -> Result<System, WorldError> {
        World::new(definition).map(System::Plane)
    }

    /// A world of space, of rigid bodies or, if its response is flexible, of bodies that flex.
    pub fn space(definition: WorldDefinition<Space>) -> Result<System, WorldError> {
        match definition.params.response {
            Response::Flexible(_) => FlexibleWorld::new(definition).map(|world| System::Flexible(Box::new(world))),
            _ => World::new(definition).map(System::Space),
        }
    }

    /// Goes on by one step. After an error the world is as it was before the step.
    pub fn step(&mut self) -> Result<StepReport, WorldError> {
        either!(self, world => world.step())
    }

    /// Whoever has the flag may end a step early, see [`World::set_interrupt`].
    pub fn set_interrupt(&mut self, flag: Arc<AtomicBool>) {
        either!(self, world => world.set_interrupt(flag))
    }

    /// s since the start.
    pub fn time(&self) -> f64 {
        either!(self, world => world.time())
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        either!(self, world => world.steps())
    }

    /// The names of the bodies, in order.
    pub fn names(&self) -> Vec<&str> {
        either!(self, world => world.names().collect())
    }

    /// Where the bodies are and how they move.
    pub fn frame(&self) -> Frame {
        either!(self, world => world.frame())
    }

    /// The contacts of the last step.
    pub fn contacts(&self) -> Vec<ContactEvent> {
        either!(self, world => world.contacts().to_vec())
    }

    /// Where the energy is, and where it went.
    pub fn ledger(&self) -> Ledger {
        either!(self, world => world.ledger())
    }

    /// Gains that the energy guard found so far, column by column; empty unless its mode is [`Warn`](crate::EnergyGuard::Warn).
    pub fn guard_reports(&self) -> Vec<GuardReport> {
        either!(self, world => world.guard_reports())
    }

    /// Momentum of all dynamic bodies, and their angular momentum about the world's origin.
    pub fn momentum(&self) -> [[f64; 3]; 2] {
        let [x, y, z, p, q, r] = match self {
            System::Plane(world) => {
                let [x, y, turn] = world.momentum();
                [x, y, 0.0, 0.0, 0.0, turn]
            }
            System::Space(world) => world.momentum(),
            System::Flexible(world) => world.momentum(),
        };
        [[x, y, z], [p, q, r]]
    }

    /// The modes that take part in contact now; none where bodies are rigid.
    pub fn vibrations(&self) -> Vec<ModeState> {
        match self {
            System::Flexible(world) => world.vibrations(),
            System::Plane(_) | System::Space(_) => Vec::new(),
        }
    }

    /// All that is needed to go on from here.
    pub fn state(&self) -> State {
        either!(self, world => world.state())
    }

    /// Goes back, or ahead, to a saved state of the same scene.
    pub fn restore(&mut self, state: &State) -> Result<(), WorldError> {
        either!(self, world => world.restore(state))
    }

    /// A hash of the physical state; see [`State::hash`].
    pub fn hash(&self) -> u64 {
        self.state().hash()
    }
}

impl From<World<Plane, 3>> for System {
    fn from(world: World<Plane, 3>) -> System {
        System::Plane(world)
    }
}

impl From<World<Space, 6>> for System {
    fn from(world: World<Space, 6>) -> System {
        System::Space(world)
    }
}
