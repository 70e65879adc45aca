//! The response to a request for work: it is stored with what the rules decide, in one transaction.

mod accept;
mod decide;
mod release;
mod times_link;

pub(crate) use accept::cancel_missed_call_reminders;
pub use accept::{ResponseForecast, accept_lead, accept_lead_with_forecast, forecast_response};
pub use release::{UNDO_WINDOW, quarantine_again, release_lead};
