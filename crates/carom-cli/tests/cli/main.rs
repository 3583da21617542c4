//! The command from outside: the real program, in a folder of its own.

mod bad_input;
mod bench;
mod bounce;
mod check;
mod docs;
mod energy;
mod everyday;
mod folder;
mod friction;
mod licences;
mod limits;
mod papers;
mod recordings;
mod run;
mod sound;
mod view;
