//! The audit log: who did what, when and from where, written in the same transaction as the deed.
//!
//! The lines of a business are a chain ([`chain`]): whoever changes, removes, moves or adds one by hand is found by
//! [`verify`], and whoever cuts the end off by what the owner was mailed ([`anchor`]).

use std::future::{Ready, ready};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platform::{
    clock::Origin,
    db::Tx,
    error::Result,
    id::{AccountId, ApiKeyId, OrgId},
};

pub mod anchor;
pub(crate) mod chain;
pub mod export;
pub mod nobodys;
pub mod verify;
pub mod view;

use chain::Entry;

/// Who acts, and from where. Made by the API's extractor; a handler cannot forget it.
#[derive(Clone, Debug, Default)]
pub struct Actor {
    /// None for a visitor without an account.
    pub account: Option<AccountId>,
    /// The key with which a program acted for that account.
    pub key: Option<ApiKeyId>,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    pub request_id: Option<String>,
}

/// What was done. The names are kept for ever: add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = AuditAction)]
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
    LeadOwnerChanged,
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
    /// Somebody said how a refund in doubt ended.
    RefundMarkedMade,
    RefundMarkedNotMade,
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
    /// Somebody was mailed a link to join with their address.
    InviteAddressAsked,
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
    /// An owner went to Stripe to connect the business's account, and came back.
    StripeConnectBegun,
    StripeConnectReturned,
    NumberClaimed,
    NumberAssigned,
    NumberTakenAway,
    NumberGivenUp,
    InheritedSetupReset,
    InheritedSetupKept,
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
    /// A passkey is being added.
    PasskeyBegun,
    PasskeyAdded,
    PasskeyRenamed,
    PasskeyRemoved,
    SignedInWithPasskey,
    /// One that opens nothing was shown: under no business.
    PasskeyRefused,
    IdentityProved,
    IdentityNotProved,
    PasswordChanged,
    PasswordResetAsked,
    PasswordReset,
    DeviceSignedOut,
    OtherDevicesSignedOut,
    /// Somebody took the audit log itself along.
    AuditExported,
    /// Somebody had the chain of the log looked through.
    AuditVerified,
    ComplianceReported,
    /// Somebody asked for many things that are not their business's, or not there.
    ForeignIdsTried,
    SecurityAlertSwitched,
    /// Somebody was sent a link for a new password by an owner or an operator.
    ClientPasswordReset,
    DemoRequested,
    /// Somebody went to Stripe's pages to see or change how they pay.
    PortalOpened,
    SubscriptionCancelled,
    SubscriptionKept,
    SubscriptionClaimed,
    /// An operator sent the link to a subscription that was paid for once more.
    SubscriptionInvited,
    SubscriptionInvoicesDownloaded,
    BusinessExported,
    PersonalDataExported,
    ErasureAsked,
    ErasureUndone,
    /// A period for which data is kept was set, and taken back.
    RetentionChanged,
    RetentionUndone,
    /// A night removed what was older; the subject is the night.
    RetentionPurged,
    BusinessImported,
    /// The install was put back from a backup.
    InstallRestored,
    /// It has moved to another database.
    InstallMoved,
    /// It sends again what it was kept from sending.
    OutboxReleased,
    CustomersImported,
    CustomersImportUndone,
    ApiKeyMade,
    ApiKeyRevoked,
    /// A key that opens nothing was shown: once for each network and hour, under no business.
    ApiKeyRefused,
    HookAdded,
    HookChanged,
    HookRemoved,
    HookTested,
    HookSecretChanged,
    HookCalledAgain,
    /// Somebody asked for the link that proves their address once more.
    AddressProofSent,
    AddressProven,
    /// The operator lets a business send without payment, and takes that back.
    BusinessLetThrough,
    BusinessLetThroughUndone,
    /// The operator invited somebody to register a business.
    BusinessInvited,
}

impl Action {
    /// As it is stored, and for ever.
    ///
    /// # Panics
    /// Never: a variant without data is written as its name.
    #[must_use]
    pub fn name(self) -> String {
        #[expect(clippy::expect_used, reason = "a variant without data is written as its name")]
        let name = serde_json::to_value(self).expect("a name");
        name.as_str().unwrap_or_default().to_owned()
    }
}

/// Writes one line: [`note`] in the shape of the stores beside which it is called. Nothing is waited for, and nothing
/// fails here; the line is written when the transaction commits.
pub fn record(
    tx: &mut Tx,
    origin: &Origin,
    actor: &Actor,
    org: OrgId,
    action: Action,
    subject: Option<Uuid>,
) -> Ready<Result<()>> {
    note(tx, origin, actor, org, action, subject);
    ready(Ok(()))
}

/// Notes one line on the transaction of the deed. It takes its place in the chain at the very end, when the transaction
/// commits: until then nobody else's deed waits for this one.
pub fn note(tx: &mut Tx, origin: &Origin, actor: &Actor, org: OrgId, action: Action, subject: Option<Uuid>) {
    tx.emit(
        org,
        Entry {
            org_id: org,
            id: origin.uuid(),
            at: origin.now(),
            actor_kind: if actor.account.is_some() { "account" } else { "visitor" }.to_owned(),
            actor_id: actor.account,
            action: action.name(),
            subject_id: subject,
            ip: actor.ip.clone(),
            user_agent: actor.user_agent.clone(),
            request_id: actor.request_id.clone(),
            key_id: actor.key,
        },
    );
}

/// What the program does by itself, by a rule that somebody set.
pub fn by_program(tx: &mut Tx, origin: &Origin, org: OrgId, action: Action, subject: Option<Uuid>) {
    tx.emit(
        org,
        Entry {
            org_id: org,
            id: origin.uuid(),
            at: origin.now(),
            actor_kind: "system".to_owned(),
            actor_id: None,
            action: action.name(),
            subject_id: subject,
            ip: None,
            user_agent: None,
            request_id: None,
            key_id: None,
        },
    );
}
