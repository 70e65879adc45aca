//! The audit log: who did what, when and from where, written in the same transaction as the deed.

use uuid::Uuid;

use crate::{
    clock::Origin,
    db::{
        Tx,
        batch::{Insert, insert_all, values},
    },
    error::Result,
    id::{AccountId, OrgId},
};

/// Who acts, and from where. Made by the API's extractor; a handler cannot forget it.
#[derive(Clone, Debug, Default)]
pub struct Actor {
    /// None for a visitor without an account.
    pub account: Option<AccountId>,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    pub request_id: Option<String>,
}

/// What was done. The names are kept for ever: add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Action {
    OrgRegistered,
    RegistrationOfKnownEmail,
    SignedIn,
    SignInFailed,
    SignedOut,
    LeadSubmitted,
    QuoteRequested,
    LeadReleased,
    LeadHeldAgain,
    LeadAnswered,
    LeadsExported,
    MessageRetried,
    TaskRevived,
    TasksRevived,
    CallMissed,
    TextReceived,
    MessageWritten,
    MessageCancelled,
    ThreadChanged,
    OptOutDecided,
    CannedReplyAdded,
    CannedReplyRemoved,
    OrgChanged,
    SettingsChanged,
    RecipientAdded,
    RecipientRemoved,
    TemplateChanged,
    TestSent,
    PulseSent,
    AlertSeen,
    DeviceAdded,
    DeviceRemoved,
    DeviceTested,
    DeviceSeen,
    EstimateMade,
    EstimateSent,
    EstimateWithdrawn,
    EstimateApproved,
    EstimateDeclined,
    EstimateAsked,
    InvoiceAsked,
    PaymentRecorded,
    PaymentUndone,
    PaymentRefunded,
    ReceiptSent,
    WrittenOff,
    JobCreated,
    JobChanged,
    JobScheduled,
    JobStatusChanged,
    JobsExported,
    FileAdded,
    FileRemoved,
    FilesDownloaded,
    NoteAdded,
    ChecklistChanged,
    CostNoted,
    CostRemoved,
    CrewChanged,
    CrewFeedRotated,
    MemberInvited,
    InviteRevoked,
    InviteAccepted,
    MemberChanged,
    PriceChanged,
    PricesImported,
    InvoiceMade,
    InvoiceChanged,
    InvoiceRemoved,
    InvoicesExported,
    PaymentsExported,
    RecoveredExported,
    InvoiceSent,
    InvoiceVoided,
    PromiseSet,
    DisputeSet,
    DunningTicked,
    CheckoutOpened,
    StripeKeysChanged,
    SlotHeld,
    VisitBooked,
    VisitMovedByCustomer,
    VisitCancelledByCustomer,
    StageChanged,
    WorkUndone,
    ReminderSent,
    CustomerChanged,
    CustomersMerged,
    MergeUndone,
    LogoChanged,
    LinkRevoked,
    LeadTyped,
    ReviewAdded,
    ReviewChanged,
    ReviewRemoved,
    ReviewsImported,
    ReviewsExported,
    ReviewRequested,
    ReviewAskStopped,
    /// A customer left one by our page, or pressed on to the public site.
    ReviewGiven,
    ReviewOpened,
    ReviewsRefused,
    /// Another program brought one.
    ReviewBrought,
    ReviewKeyChanged,
    /// The password was right, and the code is still to come.
    PasswordAccepted,
    CodeRefused,
    RecoveryCodeUsed,
    SecondFactorBegun,
    SecondFactorOn,
    SecondFactorOff,
    /// An owner took a colleague's away.
    SecondFactorForgotten,
    SecondFactorRequired,
    SecondFactorNotRequired,
    RecoveryCodesRenewed,
    IdentityProved,
    IdentityNotProved,
    PasswordChanged,
    PasswordResetAsked,
    PasswordReset,
    DeviceSignedOut,
    OtherDevicesSignedOut,
}

/// Writes one line.
pub async fn record(
    tx: &mut Tx,
    origin: &Origin,
    actor: &Actor,
    org: OrgId,
    action: Action,
    subject: Option<Uuid>,
) -> Result<()> {
    insert_all(tx, &[line(origin, actor, org, action, subject)]).await
}

/// One line, to be written together with the deed.
pub fn line<'a>(origin: &Origin, actor: &'a Actor, org: OrgId, action: Action, subject: Option<Uuid>) -> Insert<'a> {
    Insert::into("audit_event (org_id, id, at, actor_kind, actor_id, action, subject_id, ip, user_agent, request_id)")
        .of(org)
        .row(values![
            org,
            origin.uuid(),
            origin.now(),
            if actor.account.is_some() { "account" } else { "visitor" },
            actor.account,
            action,
            subject,
            actor.ip.as_deref(),
            actor.user_agent.as_deref(),
            actor.request_id.as_deref()
        ])
}
