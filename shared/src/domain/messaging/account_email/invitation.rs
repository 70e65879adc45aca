//! Messages that carry an invitation to join, and the owner's view of those that wait.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    conflicts::ConflictCode,
    documents::{recipient_name::email_greeting, template::EmailPage},
    domain::{
        messaging::message::{
            MessageDraft, MessageKind,
            outlook::{self, SendOutlook},
            queue_messages,
            send::ClaimedMessage,
            sms_link,
        },
        tenancy::{
            account::{self, InviteRole, NewInvite, OpenInvite, StoredInvite},
            org::OrgContext,
            trust_level::{self, MessageAddress, TrustContext},
        },
    },
    platform::{
        access_link,
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{AccountId, CrewId, InviteId, MessageId, OrgId},
        live::{self, Topic},
        message_channel::MessageChannel,
        recipient::Recipient,
        secret::SecretKey,
    },
};

/// An invitation that waits, as the owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invite)]
pub struct InviteView {
    pub id: InviteId,
    pub name: String,
    pub email: Option<String>,
    /// As people read it.
    pub phone_shown: Option<String>,
    pub role: InviteRole,
    /// The crew they join.
    pub crew_id: Option<CrewId>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// How it was sent; null when the link must be passed on by hand.
    pub sent: Option<InviteSent>,
    /// The address that lets them in. Null for who has not proved a short while ago who they are: it opens the business.
    pub link: Option<String>,
}

/// The message that carries an invitation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InviteSent {
    pub channel: MessageChannel,
    pub message_id: MessageId,
    /// What becomes of it; null in the list.
    #[sqlx(skip)]
    pub outlook: Option<SendOutlook>,
}

/// Invites by text if a number is given and texts can be sent, else by email. Replaces an open invitation for the same
/// address.
///
/// # Errors
/// [`Error::Invalid`] on the fields that do not fit; [`Error::Conflict`] when too many are open.
pub async fn create_invite(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    new: &NewInvite,
    by: (AccountId, &str),
) -> Result<InviteView> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let stored = account::store_invite(&mut *tx, origin, org, new, by.0).await?;
    if let Some(message) = build_invite_message(ctx, &stored, by.1)
        && is_sending_allowed(&mut *tx, ctx, &message).await?
    {
        queue_messages(&mut *tx, origin, org, &[message.with_id(MessageId(origin.uuid_v7()))]).await?;
    }
    live::publish_event(&mut *tx, origin, org, Topic::Settings, org.0, None).await?;
    get(tx, ctx, stored.id).await
}

fn build_invite_message(ctx: &OrgContext<'_>, new: &StoredInvite, by: &str) -> Option<MessageDraft> {
    let StoredInvite { id, link, .. } = *new;
    let address = ctx.public_url.join(&access_link::build_path(ctx.secret, link, access_link::LinkKind::Invite));
    let business = &ctx.profile.org.name;
    let draft = |to: Recipient, body| {
        let key = format!("invite:{id}:{}", to.channel());
        MessageDraft::new(MessageKind::AccountNotice, to, body, key)
    };
    let texts_leave = sms_link::why_texts_blocked(ctx.set_up.sms, ctx.profile).is_none();
    let text = new.phone.as_ref().filter(|phone| texts_leave && phone.is_textable());
    if let Some(phone) = text {
        let body = format!("{by} invites you to join {business}. Choose a password here, within 7 days: {address}");
        return Some(draft(phone.clone().into(), body));
    }
    let email = new.email.clone()?;
    let address = format!("{address}{}", account::invite_proof_placeholder(ctx.profile.org.id));
    let words = format!(
        "{}\n\n{by} invites you to join {business}. Choose a password, and you are in. The link works once, for seven days.",
        email_greeting(&new.name)
    );
    let page = EmailPage {
        text: Some(words.clone()),
        button: Some((format!("Join {business}"), address.clone())),
        footer: "If you do not know who this is, ignore this email.".to_owned(),
        ..EmailPage::default()
    };
    let body = format!("{words}\n\nJoin: {address}");
    let plain = draft(email.into(), body);
    Some(MessageDraft { subject: Some(format!("Join {business}")), page: Some(page), ..plain })
}

/// Whether the business's trust level allows the message. If not, the link is handed over manually.
async fn is_sending_allowed(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, message: &MessageDraft) -> Result<bool> {
    let to = MessageAddress::of_recipient(&message.to, true);
    let business = (ctx.profile.org.id, ctx.set_up.takes_money);
    let trust = TrustContext::load_for_message(conn, business, to, None, ctx.origin.now()).await?;
    Ok(trust_level::refusal_reason(trust, message.to.is_phone()).is_none())
}

fn to_view(row: OpenInvite, ctx: &OrgContext<'_>, sent: Option<InviteSent>, shows_link: bool) -> InviteView {
    let path = shows_link.then(|| access_link::build_path(ctx.secret, row.link_id, access_link::LinkKind::Invite));
    InviteView {
        link: path.map(|path| ctx.public_url.join(&path)),
        id: row.id,
        name: row.name,
        email: row.email.map(EmailAddress::into_string),
        phone_shown: row.phone_e164.map(|phone| phone.format_display().into_owned()),
        role: row.role,
        crew_id: row.crew_id,
        created_at: row.created_at,
        expires_at: row.expires_at,
        sent,
    }
}

/// Open invitations, newest first. Links are included only if `shows_links`.
pub async fn list(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, shows_links: bool) -> Result<Vec<InviteView>> {
    let mut views = Vec::new();
    for row in account::list_open_invites(&mut *conn, ctx.profile.org.id).await? {
        let sent = find_sent_message(&mut *conn, ctx.profile.org.id, row.id).await?;
        views.push(to_view(row, ctx, sent, shows_links));
    }
    Ok(views)
}

/// The same invitation for an idempotent repeat of the request.
///
/// # Errors
/// [`Error::Conflict`] when it is no longer open.
pub async fn get_for_retry(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: InviteId) -> Result<InviteView> {
    const OVER: Error = ConflictCode::InviteSuperseded.into_error();
    get(conn, ctx, id).await.map_err(|e| if matches!(e, Error::NotFound) { OVER } else { e })
}

async fn get(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: InviteId) -> Result<InviteView> {
    let all = list(&mut *conn, ctx, true).await?;
    let mut found = all.into_iter().find(|invite| invite.id == id).ok_or(Error::NotFound)?;
    if let Some(sent) = &mut found.sent {
        let org = ctx.profile.org.id;
        sent.outlook = outlook::load_outlook(conn, ctx.origin, ctx.set_up, org, sent.message_id).await?;
    }
    Ok(found)
}

async fn find_sent_message(conn: &mut dyn AsConn, org: OrgId, id: InviteId) -> Result<Option<InviteSent>> {
    let sql = "SELECT channel, id AS message_id FROM message WHERE org_id = $1 AND dedupe_key IN ($2, $3) LIMIT 1";
    let [text, email] = [MessageChannel::Sms, MessageChannel::Email].map(|channel| format!("invite:{id}:{channel}"));
    Ok(q!(conn, fetch_optional as InviteSent, sql, org, text, email)?)
}

/// Inserts the proof of the address into an outgoing invitation; other messages are unchanged.
pub fn fill_proof_placeholder(secret: &SecretKey, message: &mut ClaimedMessage) {
    if message.kind == MessageKind::AccountNotice {
        let org = message.org_id;
        let words = account::invite_link_suffix(secret, org, message.to.as_str());
        message.replace_placeholder(&account::invite_proof_placeholder(org), &words);
    }
}
