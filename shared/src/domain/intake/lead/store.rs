//! Storage of a request: lead, touches, and photos.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{
    LeadCreated, LeadFormKind, LeadSubmission, NewLead, NewPhoto, PipelineStage, active_job,
    customer::{self, RecognizedCustomer},
};
use crate::{
    domain::{
        intake::{
            contact_point::{self, proposal},
            photo_upload,
        },
        tenancy::org::OrgContext,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::Insert, batch_row, batch_rows, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId, TouchId},
        phone::Phone,
    },
};

#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct OpenLead {
    pub(crate) id: LeadId,
    pub(crate) form: LeadFormKind,
    pub(crate) held_reason: Option<String>,
    pub(crate) email: Option<EmailAddress>,
    pub(crate) created_at: DateTime<Utc>,
}

#[derive(Clone, Copy)]
pub(crate) struct LeadRequest<'a> {
    pub(crate) new: &'a NewLead,
    pub(crate) who: &'a RecognizedCustomer,
    pub(crate) photos: usize,
    pub(crate) quarantine_reason: Option<&'static str>,
    pub(crate) at: DateTime<Utc>,
}

impl<'a> LeadRequest<'a> {
    /// Finds or creates the lead: for a text or a call that of the customer's running or recent job; then their open one,
    /// which gets a touch; else a new one. New rows of customer and lead are added to `rows`.
    pub(crate) async fn attach_to_lead(
        &self,
        tx: &mut Tx,
        origin: &ClockRng,
        org: OrgId,
        rows: &mut Vec<Insert<'a>>,
    ) -> Result<(LeadId, Option<OpenLead>)> {
        let Self { new, who, at, .. } = *self;
        if who.is_new {
            rows.push(customer::build_customer_insert(origin, org, who.id, new));
        } else {
            let open = find_open_lead(&mut *tx, org, who.id).await?;
            let of_job = if matches!(new.form, LeadFormKind::Text | LeadFormKind::Call) {
                active_job::find_preferred_job_lead(&mut *tx, org, who.id, open.as_ref(), at).await?
            } else {
                None
            };
            let has_open = open.is_some();
            if let Some(lead) = of_job.or(open) {
                self.record_touch(&mut *tx, origin, org, &lead).await?;
                if has_open {
                    self.propose_contacts(tx, origin, org, lead.id, rows).await?;
                }
                return Ok((lead.id, Some(lead)));
            }
        }
        let id = LeadId(origin.clustered_uuid());
        let to = self.choose_addresses(&mut *tx, org).await?;
        let name = self.find_known_name(&mut *tx, org).await?;
        rows.push(self.build_lead_insert(org, id, to, name));
        self.propose_contacts(tx, origin, org, id, rows).await?;
        Ok((id, None))
    }

    /// Whether it is the first request of its lead that is not held: the lead can get an owner.
    pub(crate) fn is_first_released(&self, open: Option<&OpenLead>) -> bool {
        self.quarantine_reason.is_none() && open.is_none_or(|lead| lead.held_reason.is_some())
    }

    /// The lead's name when not the typed one: a known customer's own, as used on documents, in messages and for the
    /// crew. The typed name stays in the touch. A customer without a name stays so until the request is confirmed
    /// (`consent::confirmation`).
    async fn find_known_name(&self, conn: &mut dyn AsConn, org: OrgId) -> Result<Option<String>> {
        let Self { new, who, .. } = *self;
        if who.is_new || !new.is_public() {
            return Ok(None);
        }
        let stored_name = customer::find_customer_name(conn, org, who.id).await?;
        Ok(stored_name.filter(|name| *name != new.name))
    }

    /// A form that does not name the customer's number may be a stranger's.
    fn names_own_phone(&self) -> bool {
        self.new.phone_e164.is_some() && !self.who.unknown.phone
    }

    /// The addresses stored on the lead: as typed, but for a known customer only those on file.
    async fn choose_addresses(&self, tx: &mut Tx, org: OrgId) -> Result<LeadAddresses> {
        let Self { new, who, .. } = *self;
        let typed = LeadAddresses { shown: new.phone.clone(), phone: new.phone_e164.clone(), email: new.email.clone() };
        if !who.unknown.has_any() {
            return Ok(typed);
        }
        let recipient = contact_point::load_customer_recipient(tx, org, who.id).await?;
        let email = if who.unknown.email { recipient.email } else { typed.email };
        if !who.unknown.phone {
            return Ok(LeadAddresses { email, ..typed });
        }
        let shown = recipient.phone.as_ref().map(|phone| phone.format_display().into_owned()).unwrap_or_default();
        Ok(LeadAddresses { shown, phone: recipient.phone, email })
    }

    async fn propose_contacts(
        &self,
        tx: &mut Tx,
        origin: &ClockRng,
        org: OrgId,
        lead: LeadId,
        rows: &mut Vec<Insert<'a>>,
    ) -> Result<()> {
        let Self { new, who, .. } = *self;
        let (takes_phone, takes_email) =
            (who.unknown.phone || who.elsewhere.phone, who.unknown.email || who.elsewhere.email);
        let phone = new.phone_e164.as_ref().filter(|_| takes_phone).map(|phone| phone.as_e164().to_owned());
        let email = new.email.as_ref().filter(|_| takes_email).map(|email| email.as_str().to_owned());
        let phone = phone.map(|value| (contact_point::ContactPointKind::Phone, value));
        for point in phone.into_iter().chain(email.map(|value| (contact_point::ContactPointKind::Email, value))) {
            rows.extend(proposal::build_proposal_insert(&mut *tx, origin, org, (who.id, lead), point).await?);
        }
        Ok(())
    }

    fn build_lead_insert(&self, org: OrgId, id: LeadId, to: LeadAddresses, name: Option<String>) -> Insert<'a> {
        let Self { new, who, photos, quarantine_reason, at } = *self;
        let search = match &name {
            Some(own) => format!("{}\n{}", own.to_lowercase(), new.build_search_text()),
            None => new.build_search_text(),
        };
        batch_row!(lead {
            org_id: org,
            id,
            customer_id: who.id,
            form: new.form,
            name: name.unwrap_or_else(|| new.name.clone()),
            phone: to.shown,
            phone_e164: to.phone,
            email: to.email,
            service: new.service.as_str(),
            zip: new.zip.as_str(),
            address: new.address.as_deref(),
            notes: new.notes.as_deref(),
            timeline: new.timeline.as_deref(),
            budget: new.budget.as_deref(),
            source: new.source.as_str(),
            attribution: Json(new.attribution.clone()),
            stage: PipelineStage::New,
            held_reason: quarantine_reason,
            needs_attention: false,
            touch_count: 1_i64,
            missed_calls: i64::from(new.form == LeadFormKind::Call),
            photo_count: to_i64(photos),
            search,
            created_at: at,
            last_touch_at: at,
        })
    }

    async fn record_touch(&self, tx: &mut Tx, origin: &ClockRng, org: OrgId, lead: &OpenLead) -> Result<()> {
        let Self { new, who, photos, quarantine_reason, .. } = *self;
        // A quarantined request neither releases the lead nor changes its fields.
        let fills_in = quarantine_reason.is_none() && lead.email.is_none() && !who.unknown.email;
        let email = if fills_in { new.email.as_ref() } else { lead.email.as_ref() };
        let still_held = lead.held_reason.as_deref().filter(|_| quarantine_reason.is_some());
        if self.is_first_released(Some(lead)) {
            photo_upload::set_quarantined_by_lead(&mut *tx, org, lead.id, false).await?;
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
            i64::from(new.form == LeadFormKind::Call)
        )?;
        let is_typed = new.form == LeadFormKind::Typed;
        if is_typed && lead.form == LeadFormKind::Typed {
            return self.complete_unnamed_lead(tx, org, lead.id).await;
        }
        if quarantine_reason.is_some() || !matches!(lead.form, LeadFormKind::Call | LeadFormKind::Text) {
            return Ok(());
        }
        // A number in place of a name replaces no name.
        if is_typed && customer::is_person_name(&new.name) {
            return overwrite_typed_details(tx, org, lead.id, new).await;
        }
        if is_typed || new.is_public() && self.names_own_phone() {
            fill_missing_details(tx, org, lead.id, new).await
        } else {
            Ok(())
        }
    }

    /// A request that the office added with a number alone, and now adds with the name.
    async fn complete_unnamed_lead(&self, tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<()> {
        let Self { new, who, .. } = *self;
        let is_named = customer::find_customer_name(&mut *tx, org, who.id).await?.is_some();
        if is_named || !customer::is_person_name(&new.name) {
            return Ok(());
        }
        fill_missing_details(&mut *tx, org, lead, new).await?;
        customer::set_customer_name(tx, org, who.id, &new.name, None).await
    }
}

/// Emits the new lead for the figures, which then need not read it again.
pub(crate) fn emit_lead_created(tx: &mut Tx, intake: &OrgContext<'_>, request: &LeadRequest<'_>, id: LeadId) {
    let LeadRequest { new, quarantine_reason, at, .. } = *request;
    let org = &intake.profile.org;
    tx.record_new(org.id, id);
    let created = LeadCreated {
        org: org.id,
        id,
        at,
        form: new.form,
        source: new.source.clone(),
        attribution: new.attribution.clone(),
        is_quarantined: quarantine_reason.is_some(),
        zone: org.zone(),
    };
    tx.emit_event(org.id, created);
}

struct LeadAddresses {
    shown: String,
    phone: Option<Phone>,
    email: Option<EmailAddress>,
}

async fn find_open_lead(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<OpenLead>> {
    Ok(q!(
        conn,
        fetch_optional as OpenLead,
        "SELECT id, form, held_reason, email, created_at FROM lead
         WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled') ORDER BY created_at DESC LIMIT 1",
        org,
        customer
    )?)
}

/// Completes a lead from a call or text with what the office typed.
async fn overwrite_typed_details(tx: &mut Tx, org: OrgId, lead: LeadId, new: &NewLead) -> Result<()> {
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
        new.build_search_text()
    )?;
    customer::set_customer_name(tx, org, customer, &new.name, None).await
}

/// A public form that names the customer's number fills in the lead's missing fields. Existing values and names stay,
/// and so does the customer's; the form's text is in its touch.
async fn fill_missing_details(tx: &mut Tx, org: OrgId, lead: LeadId, new: &NewLead) -> Result<()> {
    let sql = "SELECT c.name, l.name FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2";
    let (known_as, asked_as) = q!(&mut *tx, fetch_one as (String, String), sql, org, lead)?;
    // Precedence: the lead's name, then the customer's, then the typed one.
    let own = [&asked_as, &known_as].into_iter().find(|name| customer::is_person_name(name));
    q!(
        tx,
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
        format!("\n{}", new.build_search_text())
    )?;
    Ok(())
}

/// `is_counted`: whether it counts toward the business's hourly limit of automatic replies.
pub(crate) fn build_touch_insert<'a>(
    origin: &ClockRng,
    org: OrgId,
    new: &'a NewLead,
    source: Option<Vec<u8>>,
    lead: LeadId,
    touch: TouchId,
    is_counted: bool,
) -> Insert<'a> {
    batch_row!(lead_inquiry {
        org_id: org,
        id: touch,
        lead_id: lead,
        at: origin.now(),
        form: new.form,
        service: new.service.as_str(),
        submission: Json(LeadSubmission::from(new)),
        attribution: Json(new.attribution.clone()),
        source_hash: source,
        is_counted,
    })
}

/// Removes the last touch: the text was no request but confirmed a booking.
pub(crate) async fn undo_last_touch(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "UPDATE lead SET touch_count = touch_count - 1 WHERE org_id = $1 AND id = $2 AND touch_count > 1";
    if q!(&mut *tx, execute, sql, org, lead)? == 0 {
        return Ok(());
    }
    let sql = "DELETE FROM lead_inquiry WHERE org_id = $1 AND lead_id = $2 AND id = (SELECT t.id FROM lead_inquiry t
         WHERE t.org_id = $1 AND t.lead_id = $2 AND t.form = 'text' ORDER BY t.id DESC LIMIT 1)";
    q!(tx, execute, sql, org, lead)?;
    Ok(())
}

/// Rows of photos already in the file store; `message` is the text they came with.
pub(crate) fn build_photo_insert<'a>(
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    touch: TouchId,
    message: Option<MessageId>,
    photos: &'a [NewPhoto],
) -> Insert<'a> {
    let now = origin.now();
    batch_rows!((0_i64..).zip(photos), |(position, photo)| photo {
        org_id: org,
        id: photo.id,
        lead_id: lead,
        inquiry_id: touch,
        message_id: message,
        position,
        original_name: photo.original_name.as_str(),
        width: i64::from(photo.width),
        height: i64::from(photo.height),
        bytes: i64::try_from(photo.bytes).unwrap_or(i64::MAX),
        full_key: photo.full_key.as_str(),
        thumb_key: photo.thumb_key.as_str(),
        created_at: now,
    })
}

/// Bytes in the file store without thumbnails.
#[must_use]
pub fn total_photo_bytes(photos: &[NewPhoto]) -> i64 {
    photos.iter().map(|photo| i64::try_from(photo.bytes).unwrap_or(i64::MAX)).fold(0, i64::saturating_add)
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
