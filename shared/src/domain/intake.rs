//! Intake: leads, customers and their contact points.

pub mod contact_point;
pub mod customer;
pub mod demo_request;
pub mod lead;
pub mod photo_upload;
