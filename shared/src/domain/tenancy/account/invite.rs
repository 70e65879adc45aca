//! Invitations: a link that works once, for seven days, and carries the role. The row does not grant access: the link's
//! token is a keyed hash, so a database copy is not enough to join.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Role, find_by_email};
use crate::{
    documents::template::EmailPage,
    domain::{
        intake::lead::OrgContext,
        messaging::message::{
            self, Draft, MessageChannel, MessageKind,
            outlook::{self, Outlook},
            sms_link,
        },
        tenancy::{
            org,
            trust_level::{self, MessageAddress, TrustContext},
        },
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows, values},
            q,
        },
        error::{Error, FieldErrors, Result},
        id::{AccountId, CrewId, InviteId, LinkId, MessageId, OrgId},
        live::{self, Topic},
        phone::Phone,
        text,
    },
};

mod join;
pub mod proof;

pub use join::{
    InviteOffer, JoinForm, LinkedInvite, NewTeamMember, accept_invite, already_used_error, expired_error, find_invite,
};

const GOOD_FOR: Duration = Duration::days(7);
/// Open invitations at one time.
const MOST: usize = 50;
const MAX_NAME: usize = 100;

/// As what somebody may be asked to join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = InviteRole)]
pub enum Joins {
    Owner,
    Office,
    Crew,
}

impl From<Joins> for Role {
    fn from(joins: Joins) -> Self {
        match joins {
            Joins::Owner => Self::Owner,
            Joins::Office => Self::Office,
            Joins::Crew => Self::Crew,
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NewInvite {
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub role: Option<Joins>,
    pub crew_id: Option<CrewId>,
}

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
    pub role: Joins,
    /// The crew they join.
    pub crew_id: Option<CrewId>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// How it went out; null where the link has to be handed over by hand.
    pub sent: Option<InviteSent>,
    /// The address that lets them in. Null for who has not proved a short while ago who they are: it opens the business.
    pub link: Option<String>,
}

/// The message that carries an invitation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InviteSent)]
pub struct InviteSent {
    pub channel: MessageChannel,
    pub message_id: MessageId,
    /// What becomes of it; null in the list.
    #[sqlx(skip)]
    pub outlook: Option<Outlook>,
}

struct ValidInvite {
    name: String,
    email: Option<String>,
    phone: Option<Phone>,
    role: Joins,
    crew: Option<CrewId>,
}

impl NewInvite {
    async fn validate_invite(&self, conn: &mut dyn AsConn, org: OrgId) -> Result<ValidInvite> {
        let mut errors = FieldErrors::default();
        let name =
            text::single_line("name", self.name.as_deref(), MAX_NAME).parse_required("Name is required", &mut errors);
        let typed = text::single_line("email", self.email.as_deref(), 254).parse_optional(&mut errors);
        let email = typed.as_deref().and_then(text::parse_email);
        if let Some(typed) = typed.as_deref().filter(|_| email.is_none()) {
            errors.add("email", text::invalid_email_reason(typed));
        }
        let typed = text::single_line("phone", self.phone.as_deref(), 40).parse_optional(&mut errors);
        let phone = typed.as_deref().and_then(Phone::parse);
        if typed.is_some() && phone.is_none() {
            errors.add("phone", "Please enter a valid phone number");
        }
        if email.is_none() && phone.is_none() {
            errors.add("email", "Enter an email address or a phone number");
        }
        let role = self.role.unwrap_or(Joins::Crew);
        if self.role.is_none() {
            errors.add("role", "Choose what they may do");
        }
        if let Some(crew) = self.crew_id {
            let sql = "SELECT EXISTS (SELECT 1 FROM crew WHERE org_id = $1 AND id = $2 AND is_active = TRUE)";
            if !q!(&mut *conn, fetch_one scalar bool, sql, org, crew)? {
                errors.add("crewId", "Choose one of your crews");
            }
        }
        if let Some(email) = &email
            && find_by_email(conn, email).await?.is_some_and(|known| known.org_id == org)
        {
            errors.add("email", "Somebody of your team signs in with this address already");
        }
        errors.into_result()?;
        Ok(ValidInvite { name, email, phone, role, crew: self.crew_id })
    }
}

/// Invites by text if a number is given and texts can be sent, else by email. Replaces an open invitation for the same
/// address.
///
/// # Errors
/// [`Error::Invalid`] on the fields that do not fit; [`Error::Conflict`] when too many are open.
pub async fn create_invite(
    tx: &mut Tx,
    house: &OrgContext<'_>,
    new: &NewInvite,
    by: (AccountId, &str),
) -> Result<InviteView> {
    let (origin, org) = (house.origin, house.profile.org.id);
    org::lock(&mut *tx, org).await?;
    let checked = new.validate_invite(&mut *tx, org).await?;
    revoke_duplicates(tx, origin, org, &checked).await?;
    if list_open_rows(&mut *tx, org).await?.len() >= MOST {
        return Err(Error::Conflict("Fifty invitations are waiting already. Take some back first."));
    }
    let (id, now) = (InviteId(origin.uuid_v7()), origin.now());
    let columns = "invite (org_id, id, name, email, phone_e164, role, crew_id, invited_by, created_at)";
    let row = Insert::into(columns).with_row(values![
        org,
        id,
        checked.name.as_str(),
        checked.email.as_deref(),
        checked.phone.as_ref().map(Phone::as_e164),
        checked.role,
        checked.crew,
        by.0,
        now
    ]);
    insert_rows(&mut *tx, &row).await?;
    let link =
        access_link::ensure_link(&mut *tx, origin, org, access_link::LinkKind::Invite, id.0, Some(now + GOOD_FOR))
            .await?;
    if let Some(letter) = build_invite_message(house, &checked, id, link, by.1)
        && is_sending_allowed(&mut *tx, house, &letter).await?
    {
        message::queue_messages(&mut *tx, origin, org, &[letter.with_id(MessageId(origin.uuid_v7()))]).await?;
    }
    live::publish_event(&mut *tx, origin, org, Topic::Settings, org.0, None).await?;
    get(tx, house, id).await
}

async fn revoke_duplicates(tx: &mut Tx, origin: &ClockRng, org: OrgId, new: &ValidInvite) -> Result<()> {
    let same = q!(
        &mut *tx,
        fetch_all scalar InviteId,
        "SELECT id FROM invite WHERE org_id = $1 AND accepted_at IS NULL AND (email = $2 OR phone_e164 = $3)",
        org,
        new.email.as_deref(),
        new.phone.as_ref().map(Phone::as_e164)
    )?;
    for id in same {
        access_link::revoke_link(&mut *tx, origin, org, access_link::LinkKind::Invite, id.0).await?;
    }
    Ok(())
}

fn build_invite_message(
    house: &OrgContext<'_>,
    new: &ValidInvite,
    id: InviteId,
    link: LinkId,
    by: &str,
) -> Option<Draft> {
    let address = house.public_url.join(&access_link::build_path(house.secret, link, access_link::LinkKind::Invite));
    let business = &house.profile.org.name;
    let key = |channel: &str| format!("invite:{id}:{channel}");
    let draft =
        |channel, to: &str, body, key| Draft::new(channel, MessageKind::AccountNotice, to.to_owned(), body, key);
    let texts_leave = sms_link::why_texts_blocked(house.set_up.sms, house.profile).is_none();
    let text = new.phone.as_ref().filter(|phone| texts_leave && phone.is_textable());
    if let Some(phone) = text {
        let body = format!("{by} invites you to join {business}. Choose a password here, within 7 days: {address}");
        return Some(draft(MessageChannel::Sms, phone.as_e164(), body, key("sms")));
    }
    let email = new.email.as_deref()?;
    let address = format!("{address}{}", proof::proof_placeholder(house.profile.org.id));
    let words = format!(
        "Hi {},\n\n{by} invites you to join {business}. Choose a password, and you are in. The link works once, for seven days.",
        new.name
    );
    let page = EmailPage {
        text: Some(words.clone()),
        button: Some((format!("Join {business}"), address.clone())),
        footer: "If you do not know who this is, there is nothing to do.".to_owned(),
        ..EmailPage::default()
    };
    let body = format!("{words}\n\nJoin: {address}");
    let plain = draft(MessageChannel::Email, email, body, key("email"));
    Some(Draft { subject: Some(format!("Join {business}")), page: Some(page), ..plain })
}

/// Whether the business's trust level allows the message. If not, the link is handed over manually.
async fn is_sending_allowed(conn: &mut dyn AsConn, house: &OrgContext<'_>, letter: &Draft) -> Result<bool> {
    let is_text = letter.channel == MessageChannel::Sms;
    let to = if is_text {
        MessageAddress::Text
    } else {
        MessageAddress::Email { address: &letter.to, is_about_account: true }
    };
    let business = (house.profile.org.id, house.set_up.takes_money);
    let trust = TrustContext::load_for_message(conn, business, to, false, house.origin.now()).await?;
    Ok(trust_level::refusal_reason(trust, is_text).is_none())
}

#[derive(FromRow)]
struct InviteRow {
    id: InviteId,
    name: String,
    email: Option<String>,
    phone_e164: Option<Phone>,
    role: Joins,
    crew_id: Option<CrewId>,
    created_at: DateTime<Utc>,
    link_id: LinkId,
    expires_at: DateTime<Utc>,
}

impl InviteRow {
    fn into_view(self, house: &OrgContext<'_>, sent: Option<InviteSent>, shows_link: bool) -> InviteView {
        let path =
            shows_link.then(|| access_link::build_path(house.secret, self.link_id, access_link::LinkKind::Invite));
        InviteView {
            link: path.map(|path| house.public_url.join(&path)),
            id: self.id,
            name: self.name,
            email: self.email,
            phone_shown: self.phone_e164.map(|phone| phone.format_display().into_owned()),
            role: self.role,
            crew_id: self.crew_id,
            created_at: self.created_at,
            expires_at: self.expires_at,
            sent,
        }
    }
}

/// Open invitations, newest first. Expired ones stay listed until revoked or replaced.
async fn list_open_rows(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<InviteRow>> {
    Ok(q!(
        conn,
        fetch_all as InviteRow,
        "SELECT i.id, i.name, i.email, i.phone_e164, i.role, i.crew_id, i.created_at, k.id AS link_id, k.expires_at
         FROM invite i JOIN link k ON k.org_id = i.org_id AND k.kind = 'invite' AND k.subject_id = i.id
             AND k.revoked_at IS NULL
         WHERE i.org_id = $1 AND i.accepted_at IS NULL ORDER BY i.created_at DESC, i.id DESC",
        org
    )?)
}

/// Open invitations, newest first. Links are included only if `shows_links`.
pub async fn list(conn: &mut dyn AsConn, house: &OrgContext<'_>, shows_links: bool) -> Result<Vec<InviteView>> {
    let mut views = Vec::new();
    for row in list_open_rows(&mut *conn, house.profile.org.id).await? {
        let sent = find_sent_message(&mut *conn, house.profile.org.id, row.id).await?;
        views.push(row.into_view(house, sent, shows_links));
    }
    Ok(views)
}

/// The same invitation for an idempotent repeat of the request.
///
/// # Errors
/// [`Error::Conflict`] when it is no longer open.
pub async fn get_for_retry(conn: &mut dyn AsConn, house: &OrgContext<'_>, id: InviteId) -> Result<InviteView> {
    const OVER: Error = Error::Conflict("This invitation was taken or replaced meanwhile. Look at the list of people.");
    get(conn, house, id).await.map_err(|e| if matches!(e, Error::NotFound) { OVER } else { e })
}

async fn get(conn: &mut dyn AsConn, house: &OrgContext<'_>, id: InviteId) -> Result<InviteView> {
    let all = list(&mut *conn, house, true).await?;
    let mut found = all.into_iter().find(|invite| invite.id == id).ok_or(Error::NotFound)?;
    if let Some(sent) = &mut found.sent {
        let org = house.profile.org.id;
        sent.outlook = outlook::load_outlook(conn, house.origin, house.set_up, org, sent.message_id).await?;
    }
    Ok(found)
}

async fn find_sent_message(conn: &mut dyn AsConn, org: OrgId, id: InviteId) -> Result<Option<InviteSent>> {
    let sql = "SELECT channel, id AS message_id FROM message WHERE org_id = $1 AND dedupe_key IN ($2, $3) LIMIT 1";
    let [text, email] = ["sms", "email"].map(|channel| format!("invite:{id}:{channel}"));
    Ok(q!(conn, fetch_optional as InviteSent, sql, org, text, email)?)
}

/// Revokes the open invitations of a person whose password was reset or who is no longer an owner.
pub async fn revoke_by_inviter(tx: &mut Tx, origin: &ClockRng, org: OrgId, account: AccountId) -> Result<()> {
    let sql = "SELECT id FROM invite WHERE org_id = $1 AND invited_by = $2 AND accepted_at IS NULL";
    for id in q!(&mut *tx, fetch_all scalar InviteId, sql, org, account)? {
        access_link::revoke_link(&mut *tx, origin, org, access_link::LinkKind::Invite, id.0).await?;
    }
    Ok(())
}

/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when it was used.
pub async fn revoke(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: InviteId) -> Result<()> {
    // Locked so that it cannot be accepted between the check and the change.
    org::lock(&mut *tx, org).await?;
    let sql = "SELECT accepted_at IS NOT NULL FROM invite WHERE org_id = $1 AND id = $2";
    if q!(&mut *tx, fetch_optional scalar bool, sql, org, id)?.ok_or(Error::NotFound)? {
        return Err(Error::Conflict("They have joined already. Change what they may do in the list of people."));
    }
    access_link::revoke_link(&mut *tx, origin, org, access_link::LinkKind::Invite, id.0).await?;
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}
