//! Typed ids, so that ids of different records cannot be confused.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
        $(#[$doc])*
        #[serde(transparent)]
        #[sqlx(transparent)]
        #[schema(value_type = Uuid)]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id! {
    /// One business.
    OrgId,
    /// One person who signs in.
    AccountId,
    /// The person behind one or more leads.
    CustomerId,
    /// One request for work.
    LeadId,
    /// One time that a person asked.
    TouchId,
    PhotoId,
    /// One SMS or email.
    MessageId,
    DecisionId,
    /// One phone call.
    CallId,
    CannedReplyId,
    /// One address that gets alerts about new leads.
    RecipientId,
    /// One alert for the members of a business.
    AlertId,
    /// One browser that shows alerts.
    DeviceId,
    /// One piece of queued work.
    TaskId,
    /// Words of ours that promised a customer an answer.
    SlaId,
    /// One thing that happened to a piece of work.
    EventId,
    /// One message to be sent later.
    FollowUpId,
    /// One address that opens something without an account.
    LinkId,
    /// One place where work is done.
    PropertyId,
    CrewId,
    InviteId,
    /// One proof that a number is a business's.
    NumberClaimId,
    /// An order of a number by an owner.
    NumberOrderId,
    /// The registration of a business's texts with the carriers.
    TextingRegistrationId,
    /// A crew's booked job.
    JobId,
    NoteId,
    /// One line of a job's checklist.
    CheckId,
    /// One line of what a job has cost.
    CostId,
    FileId,
    /// One line of the price book.
    PriceItemId,
    /// One version of an estimate.
    EstimateId,
    InvoiceId,
    PaymentId,
    /// One visit to the pay page.
    CheckoutId,
    /// One free hour that is kept for a visitor while they type.
    HoldId,
    /// One list of customers that was taken over.
    CustomerImportId,
    /// A phone or email that a form named for a customer.
    ContactProposalId,
    /// Two customer records made one.
    MergeId,
    /// One customer asked for a review, or why not.
    #[schema(as = ReviewAskId)]
    ReviewRequestId,
    ReviewId,
    /// One report of the figures.
    PulseId,
    /// One subscription of a business, at Stripe.
    SubscriptionId,
    DemoRequestId,
    /// One mail of the install itself.
    InstallMailId,
    /// One key of another program.
    ApiKeyId,
    /// One address that receives events.
    #[schema(as = HookId)]
    WebhookId,
    /// One delivery to one address.
    #[schema(as = HookCallId)]
    WebhookDeliveryId,
}

/// Demonstration business of every install. Read-only: a transaction that changes it does not commit.
pub const DEMO_ORG: OrgId = OrgId(Uuid::from_u128(0xde30_0000_0000_4000_8000_0000_0000_0001));
/// Its URL slug. In a public form it means the install's default business (decisions 8).
pub const DEMO_SLUG: &str = "demo";
