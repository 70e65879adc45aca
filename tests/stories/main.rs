//! The product's promises as stories, each told on both databases.

mod schema;
