//! Audit log: who did what, when and from where, written in the transaction of the action.
//!
//! The lines of a business form a hash chain (`chain`): [`verify`] finds lines changed, removed, moved or added by
//! hand, and the anchors mailed to the owner ([`anchor`]) reveal a truncated end.

use std::future::{Ready, ready};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platform::{
    clock::ClockRng,
    db::Tx,
    error::Result,
    id::{AccountId, ApiKeyId, OrgId},
};

pub mod anchor;
pub(crate) mod chain;
pub mod export;
pub mod install_log;
pub mod verify;
pub mod view;

pub use anchor::AuditAnchor;
pub(crate) use anchor::{create_anchor, format_line_count, list_orgs_due_for_anchor};
use chain::AuditEntry;
pub(crate) use chain::lock_chain_heads;
pub use verify::{AuditVerdict, verify_chain};
pub(crate) use verify::{is_check_due, store_scheduled_verdict};

/// The acting person or program, and its origin. Built by the API's extractor, so handlers cannot omit it.
#[derive(Clone, Debug, Default)]
pub struct AuditActor {
    /// None for an anonymous visitor.
    pub account: Option<AccountId>,
    pub key: Option<ApiKeyId>,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    pub request_id: Option<String>,
}

/// What was done. The names are kept for ever: add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
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
    WorkItemDone,
    WorkItemSnoozed,
    WorkItemAssigned,
    WorkItemUndone,
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
    /// A refund in doubt was settled by a person.
    RefundMarkedMade,
    RefundMarkedNotMade,
    /// A difference between the books and Stripe was settled by a person, or opened again.
    DifferenceSettled,
    DifferenceReopened,
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
    NumberOrdered,
    TextingRegistered,
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
    /// A retention period was set or cancelled.
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
    /// The operator invited a person to register a business.
    BusinessInvited,
}

impl AuditAction {
    /// Stored name; must never change.
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

/// Writes one line: [`emit_event`] with the signature of the store functions. It neither waits nor fails; the line is
/// written on commit.
pub fn record(
    tx: &mut Tx,
    origin: &ClockRng,
    actor: &AuditActor,
    org: OrgId,
    action: AuditAction,
    subject: Option<Uuid>,
) -> Ready<Result<()>> {
    emit_event(tx, origin, actor, org, action, subject);
    ready(Ok(()))
}

/// Notes one line on the transaction. It gets its place in the chain only on commit, so that transactions do not wait
/// for each other.
pub fn emit_event(
    tx: &mut Tx,
    origin: &ClockRng,
    actor: &AuditActor,
    org: OrgId,
    action: AuditAction,
    subject: Option<Uuid>,
) {
    tx.emit_event(
        org,
        AuditEntry {
            org_id: org,
            id: origin.uuid_v7(),
            at: origin.now(),
            actor_kind: if actor.account.is_some() { "account" } else { chain::VISITOR }.to_owned(),
            actor_id: actor.account,
            action: action.name(),
            subject_id: subject,
            ip: actor.ip.clone(),
            user_agent: actor.user_agent.clone(),
            request_id: actor.request_id.clone(),
            key_id: actor.key,
            origin_salt: None,
            origin_hash: None,
        }
        .with_hashed_origin(&origin.entropy),
    );
}

pub fn record_system_action(tx: &mut Tx, origin: &ClockRng, org: OrgId, action: AuditAction, subject: Option<Uuid>) {
    tx.emit_event(
        org,
        AuditEntry {
            org_id: org,
            id: origin.uuid_v7(),
            at: origin.now(),
            actor_kind: "system".to_owned(),
            actor_id: None,
            action: action.name(),
            subject_id: subject,
            ip: None,
            user_agent: None,
            request_id: None,
            key_id: None,
            origin_salt: None,
            origin_hash: None,
        },
    );
}
