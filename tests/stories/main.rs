//! The product's promises as stories, each told on both databases.
#![expect(clippy::unwrap_used, reason = "a story that cannot go on has failed, in its helpers as in its tests")]

mod accounts;
mod alerts;
mod answers;
mod away;
mod by_hand;
mod contract;
mod dead_tasks;
mod delivery;
mod disk;
mod doubt;
mod held;
mod inbox;
mod letterhead;
mod list;
mod live;
mod mail;
mod numbers;
mod once;
mod pacing;
mod person;
mod phone;
mod properties;
mod queue;
mod refusals;
mod reports;
mod rights;
mod schema;
mod settings;
mod spend;
mod stop;
mod sweep;
mod texts;
mod visits;
