//! The response to a request for work: it is stored with what the rules decide, in one transaction.

mod accept;
mod decide;
mod forecast;
mod release;
mod times_link;

pub(crate) use accept::cancel_missed_call_reminders;
pub use accept::{IncomingRequest, accept_lead, accept_request, accept_requests};
pub use forecast::{ReplyConditions, ResponseForecast};
pub use release::{UNDO_WINDOW, quarantine_again, release_lead};
