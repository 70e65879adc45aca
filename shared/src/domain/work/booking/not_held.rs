//! Why the time of a booking request was not held.

use super::held_visit::HeldVisitState;

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub(super) enum NotHeldReason {
    /// A limit of held times: of the business or the day.
    LimitReached,
    /// The day's limit of one network, or of the networks around it.
    NetworkLimit,
    /// The customer was asked three times without an answer.
    Unanswered,
    /// The day's share for people known only by an email is used up.
    ShareUsed,
    /// Neither a text nor an email can be sent.
    NoChannel,
}

impl NotHeldReason {
    /// Whether an email tells that the request has arrived. Who did not answer three questions is sent nothing more.
    pub(super) fn gets_receipt(self) -> bool {
        matches!(self, Self::LimitReached | Self::NetworkLimit | Self::ShareUsed)
    }

    pub(super) fn to_state(self) -> HeldVisitState {
        match self {
            Self::LimitReached => HeldVisitState::LimitReached,
            Self::NetworkLimit => HeldVisitState::NetworkLimit,
            Self::Unanswered => HeldVisitState::Unanswered,
            Self::ShareUsed => HeldVisitState::ShareUsed,
            Self::NoChannel => HeldVisitState::NoChannel,
        }
    }
}
