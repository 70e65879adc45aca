//! Where a request lies in the database: the lead, each touch of it, and its photos.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{
    Form, NewLead, NewPhoto, Stage,
    customer::{self, Recognised},
    of_job,
};
use crate::{
    domain::intake::{
        contact_point::{self, proposal},
        photo_upload,
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, values},
            q,
        },
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId, TouchId},
        phone::Phone,
    },
};

/// The open lead of a person, as far as the rules need it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct OpenLead {
    pub(super) id: LeadId,
    pub(super) form: Form,
    pub(super) held_reason: Option<String>,
    pub(super) email: Option<String>,
    pub(super) created_at: DateTime<Utc>,
}

/// A request on its way into a lead.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) new: &'a NewLead,
    pub(super) who: &'a Recognised,
    pub(super) photos: usize,
    /// Why it waits for a person, if it does.
    pub(super) held: Option<&'static str>,
    /// When it came: what a lead of its own is made with.
    pub(super) at: DateTime<Utc>,
}

impl<'a> Request<'a> {
    /// Finds its lead: their open one, which is touched, else one of its own. What is new of customer and lead joins
    /// `rows`.
    pub(super) async fn place(
        &self,
        tx: &mut Tx,
        origin: &Origin,
        org: OrgId,
        rows: &mut Vec<Insert<'a>>,
    ) -> Result<(LeadId, Option<OpenLead>)> {
        let Self { new, who, at, .. } = *self;
        if who.is_new {
            rows.push(customer::row(origin, org, who.id, new));
        } else if let Some(lead) = find_open(tx, org, who.id).await? {
            self.add_touch(&mut *tx, origin, org, &lead).await?;
            self.propose(tx, origin, org, lead.id, rows).await?;
            return Ok((lead.id, Some(lead)));
        } else if new.form == Form::Text
            && let Some(lead) = of_job::running(tx, org, who.id, at).await?
        {
            self.add_touch(tx, origin, org, &lead).await?;
            return Ok((lead.id, Some(lead)));
        }
        let id = LeadId(origin.clustered_uuid());
        let to = self.addresses(&mut *tx, org).await?;
        let name = self.own_name(&mut *tx, org).await?;
        rows.push(self.row(org, id, to, name));
        self.propose(tx, origin, org, id, rows).await?;
        Ok((id, None))
    }

    /// Whether it is the first of its lead that is not held: a person of the business may own it from now on.
    pub(super) fn is_first(&self, open: Option<&OpenLead>) -> bool {
        self.held.is_none() && open.is_none_or(|lead| lead.held_reason.is_some())
    }

    /// The name that the lead stands under instead of what a public form typed: a known person's own, so that it is said on
    /// papers, in messages and to the crew. What was typed stays in the touch. Who has no name yet gets it from the form.
    async fn own_name(&self, tx: &mut Tx, org: OrgId) -> Result<Option<String>> {
        let Self { new, who, held, .. } = *self;
        if who.is_new || !new.is_public() {
            return Ok(None);
        }
        let known = customer::name(&mut *tx, org, who.id).await?;
        if known.is_none() && held.is_none() && self.names_their_number() {
            name_customer(tx, org, who.id, new).await?;
        }
        Ok(known.filter(|name| *name != new.name))
    }

    /// Anybody can type another's address: a form that does not name their number says nothing of them.
    fn names_their_number(&self) -> bool {
        self.new.phone_e164.is_some() && !self.who.unknown.phone
    }

    /// The addresses that the lead keeps: what was typed, but of a known person nothing that is not on file for them.
    async fn addresses(&self, tx: &mut Tx, org: OrgId) -> Result<Addresses> {
        let Self { new, who, .. } = *self;
        let typed = Addresses { shown: new.phone.clone(), phone: new.phone_e164.clone(), email: new.email.clone() };
        if !who.unknown.any() {
            return Ok(typed);
        }
        let known = contact_point::of_customer(tx, org, who.id).await?;
        let email = if who.unknown.email { known.email } else { typed.email };
        if !who.unknown.phone {
            return Ok(Addresses { email, ..typed });
        }
        let phone = known.phone.as_deref().and_then(Phone::parse);
        let shown = phone.as_ref().map(|phone| phone.shown().into_owned()).unwrap_or_default();
        Ok(Addresses { shown, phone, email })
    }

    /// What was typed and is not on file for them, or is another record's key, is proposed to the office.
    async fn propose(
        &self,
        tx: &mut Tx,
        origin: &Origin,
        org: OrgId,
        lead: LeadId,
        rows: &mut Vec<Insert<'a>>,
    ) -> Result<()> {
        let Self { new, who, .. } = *self;
        let (takes_phone, takes_email) =
            (who.unknown.phone || who.elsewhere.phone, who.unknown.email || who.elsewhere.email);
        let phone = new.phone_e164.as_ref().filter(|_| takes_phone).map(|phone| phone.as_e164().to_owned());
        let email = new.email.clone().filter(|_| takes_email);
        let phone = phone.map(|value| (contact_point::Kind::Phone, value));
        for point in phone.into_iter().chain(email.map(|value| (contact_point::Kind::Email, value))) {
            rows.extend(proposal::row(&mut *tx, origin, org, (who.id, lead), point).await?);
        }
        Ok(())
    }

    fn row(&self, org: OrgId, id: LeadId, to: Addresses, name: Option<String>) -> Insert<'a> {
        let Self { new, who, photos, held, at } = *self;
        let search = match &name {
            Some(own) => format!("{}\n{}", own.to_lowercase(), new.search_text()),
            None => new.search_text(),
        };
        Insert::into(
            "lead (org_id, id, customer_id, form, name, phone, phone_e164, email, service, zip, address, notes, timeline,
                 budget, source, attribution, stage, held_reason, needs_attention, touch_count, missed_calls, photo_count,
                 search, created_at, last_touch_at)",
        )
        .row(values![
            org,
            id,
            who.id,
            new.form,
            name.unwrap_or_else(|| new.name.clone()),
            to.shown,
            to.phone,
            to.email,
            new.service.as_str(),
            new.zip.as_str(),
            new.address.as_deref(),
            new.notes.as_deref(),
            new.timeline.as_deref(),
            new.budget.as_deref(),
            new.source.as_str(),
            Json(new.attribution.clone()),
            Stage::New,
            held,
            false,
            1_i64,
            i64::from(new.form == Form::Call),
            to_i64(photos),
            search,
            at,
            at
        ])
    }

    /// The same person again: the lead is touched, and what was missing from it is filled in.
    async fn add_touch(&self, tx: &mut Tx, origin: &Origin, org: OrgId, lead: &OpenLead) -> Result<()> {
        let Self { new, who, photos, held, .. } = *self;
        // A request that is itself held neither frees the lead nor changes what it says.
        let fills_in = held.is_none() && lead.email.is_none() && !who.unknown.email;
        let email = if fills_in { new.email.as_deref() } else { lead.email.as_deref() };
        let still_held = lead.held_reason.as_deref().filter(|_| held.is_some());
        if self.is_first(Some(lead)) {
            photo_upload::hold(&mut *tx, org, lead.id, false).await?;
        }
        q!(
            &mut *tx,
            execute,
            "UPDATE lead SET touch_count = touch_count + 1, photo_count = photo_count + $3, last_touch_at = $4, email = $5,
                 held_reason = $6, missed_calls = missed_calls + $7
             WHERE org_id = $1 AND id = $2",
            org,
            lead.id,
            to_i64(photos),
            origin.now().max(lead.created_at),
            email,
            still_held,
            i64::from(new.form == Form::Call)
        )?;
        if held.is_some() || !matches!(lead.form, Form::Call | Form::Text) {
            return Ok(());
        }
        if new.form == Form::Typed {
            return tell_who(tx, org, lead.id, new).await;
        }
        if new.is_public() && self.names_their_number() { fill_in(tx, org, lead.id, new).await } else { Ok(()) }
    }
}

/// How the person of a lead is reached.
struct Addresses {
    /// The number as people read it.
    shown: String,
    phone: Option<Phone>,
    email: Option<String>,
}

async fn find_open(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<OpenLead>> {
    Ok(q!(
        conn,
        fetch_optional as OpenLead,
        "SELECT id, form, held_reason, email, created_at FROM lead
         WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled') ORDER BY created_at DESC LIMIT 1",
        org,
        customer
    )?)
}

/// A lead that came by phone knew a number only: the office says who it is and what for.
async fn tell_who(tx: &mut Tx, org: OrgId, lead: LeadId, new: &NewLead) -> Result<()> {
    let customer = q!(
        &mut *tx,
        fetch_one scalar CustomerId,
        "UPDATE lead SET form = $3, name = $4, service = $5, zip = $6, address = $7, notes = COALESCE($8, notes),
             timeline = $9, budget = $10, search = $11
         WHERE org_id = $1 AND id = $2 RETURNING customer_id",
        org,
        lead,
        new.form,
        &new.name,
        &new.service,
        &new.zip,
        new.address.as_deref(),
        new.notes.as_deref(),
        new.timeline.as_deref(),
        new.budget.as_deref(),
        new.search_text()
    )?;
    name_customer(tx, org, customer, new).await
}

/// A public form that names their number fills in what the lead does not know. What stands there stays: the words of
/// the form are in its touch. Whoever has a name keeps it.
async fn fill_in(tx: &mut Tx, org: OrgId, lead: LeadId, new: &NewLead) -> Result<()> {
    let sql = "SELECT c.id, c.name, l.name FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2";
    let (customer, known_as, asked_as) = q!(&mut *tx, fetch_one as (CustomerId, String, String), sql, org, lead)?;
    // The name on the lead, then that on the record, and only then the one that was typed.
    let own = [&asked_as, &known_as].into_iter().find(|name| customer::is_named(name));
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET form = $3, name = $4, service = CASE WHEN service = 'other' THEN $5 ELSE service END,
             zip = CASE WHEN zip = '' THEN $6 ELSE zip END, address = COALESCE(address, $7),
             notes = COALESCE(notes, $8), timeline = COALESCE(timeline, $9), budget = COALESCE(budget, $10),
             search = search || $11
         WHERE org_id = $1 AND id = $2",
        org,
        lead,
        new.form,
        own.unwrap_or(&new.name),
        &new.service,
        &new.zip,
        new.address.as_deref(),
        new.notes.as_deref(),
        new.timeline.as_deref(),
        new.budget.as_deref(),
        format!("\n{}", new.search_text())
    )?;
    if customer::is_named(&known_as) { Ok(()) } else { name_customer(tx, org, customer, new).await }
}

async fn name_customer(tx: &mut Tx, org: OrgId, customer: CustomerId, new: &NewLead) -> Result<()> {
    let sql = "UPDATE customer SET name = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, customer, &new.name)?;
    customer::index(tx, org, customer).await
}

/// `is_counted` when it uses up the requests that the business answers by itself in an hour.
pub(super) fn touch_row<'a>(
    origin: &Origin,
    org: OrgId,
    new: &'a NewLead,
    source: Option<Vec<u8>>,
    lead: LeadId,
    touch: TouchId,
    is_counted: bool,
) -> Insert<'a> {
    Insert::into(
        "lead_touch (org_id, id, lead_id, at, form, service, submission, attribution, source_hash, is_counted)",
    )
    .row(values![
        org,
        touch,
        lead,
        origin.now(),
        new.form,
        new.service.as_str(),
        Json(new.submission()),
        Json(new.attribution.clone()),
        source,
        is_counted
    ])
}

/// The text that came last was no further request: it confirmed a booking.
pub(crate) async fn take_back_touch(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "UPDATE lead SET touch_count = touch_count - 1 WHERE org_id = $1 AND id = $2 AND touch_count > 1";
    if q!(&mut *tx, execute, sql, org, lead)? == 0 {
        return Ok(());
    }
    let sql = "DELETE FROM lead_touch WHERE org_id = $1 AND lead_id = $2 AND id = (SELECT t.id FROM lead_touch t
         WHERE t.org_id = $1 AND t.lead_id = $2 AND t.form = 'text' ORDER BY t.at DESC, t.id DESC LIMIT 1)";
    q!(tx, execute, sql, org, lead)?;
    Ok(())
}

/// The rows of photos whose files lie in the store; `message` is the text they came with.
pub(crate) fn photo_rows<'a>(
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    touch: TouchId,
    message: Option<MessageId>,
    photos: &'a [NewPhoto],
) -> Insert<'a> {
    let now = origin.now();
    Insert::into(
        "photo (org_id, id, lead_id, touch_id, message_id, position, original_name, width, height, bytes, full_key, thumb_key, created_at)",
    )
    .rows((0_i64..).zip(photos).map(|(position, photo)| {
        values![
            org,
            photo.id,
            lead,
            touch,
            message,
            position,
            photo.original_name.as_str(),
            i64::from(photo.width),
            i64::from(photo.height),
            i64::try_from(photo.bytes).unwrap_or(i64::MAX),
            photo.full_key.as_str(),
            photo.thumb_key.as_str(),
            now
        ]
    }))
}

/// What the file store holds of these photos, thumbnails aside.
#[must_use]
pub fn photo_bytes(photos: &[NewPhoto]) -> i64 {
    photos.iter().map(|photo| i64::try_from(photo.bytes).unwrap_or(i64::MAX)).fold(0, i64::saturating_add)
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
