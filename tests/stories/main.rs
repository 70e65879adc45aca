//! The product's promises as stories, each told on both databases.

mod answers;
mod held;
mod list;
mod live;
mod mail;
mod once;
mod person;
mod properties;
mod queue;
mod schema;
mod sweep;
mod texts;
