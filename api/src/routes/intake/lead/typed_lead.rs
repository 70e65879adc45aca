//! A lead that the office types in, after a call on its own phone or a visit at the counter.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::{self, NewCustomer},
        messaging::{
            conversation::{
                booking_invitation::booking_invitation_text,
                write::{self, ComposedMessage},
            },
            message::{
                MessageChannel,
                outlook::{self, SendOutlook},
            },
        },
        tenancy::{
            audit::{self, AuditAction},
            org::OrgProfile,
        },
    },
    platform::{
        db::Tx,
        id::{LeadId, MessageId},
    },
};
use utoipa::ToSchema;

use super::{LeadDetailView, load_lead_detail};
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    idempotency::IdempotentOperation,
    openapi,
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// Somebody who asked for work by phone or in person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TypedLeadRequest {
    /// Without a name it has the name that is known by the phone, else the number.
    pub customer: NewCustomer,
    /// What they want, in the words of the office.
    #[serde(default)]
    #[schema(schema_with = openapi::fields::nullable_text::<5_000>)]
    pub notes: Option<String>,
    /// Whether they get a text with the address of the booking page.
    #[serde(default)]
    pub text_booking_link: bool,
}

/// The lead that was added, and what becomes of the text.
#[derive(Serialize, ToSchema)]
#[schema(as = LeadAdded)]
pub struct AddedLead {
    #[serde(flatten)]
    lead: LeadDetailView,
    /// What becomes of the text with the booking page; null where none was wanted.
    outlook: Option<SendOutlook>,
}

/// What a repeated request finds again.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredAddedLead {
    Texted(LeadId, MessageId),
    NotTexted(LeadId),
}

impl StoredAddedLead {
    fn new(lead: LeadId, text: Option<MessageId>) -> Self {
        text.map_or(Self::NotTexted(lead), |text| Self::Texted(lead, text))
    }

    async fn load_view(self, tx: &mut Tx, state: &AppState, member: &OrgMember) -> ApiResult<AddedLead> {
        let (id, text) = match self {
            Self::Texted(lead, text) => (lead, Some(text)),
            Self::NotTexted(lead) => (lead, None),
        };
        let lead = load_lead_detail(&mut *tx, state, member, id).await?;
        let outlook = match text {
            Some(text) => outlook::load_outlook(tx, &state.origin, state.send_channels(), member.org(), text).await?,
            None => None,
        };
        Ok(AddedLead { lead, outlook })
    }
}

/// Adds a lead by hand
///
/// For a customer with an open lead it is added to that lead. No rule answers it. The text with the booking page goes
/// through the same gate as every message; `outlook` says what becomes of it. With an `Idempotency-Key` a repeated
/// request adds nothing twice.
#[utoipa::path(post, path = "/api/leads", operation_id = "addLead", tag = "leads",
    security(("session" = ["owner", "office"])), request_body = TypedLeadRequest,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Added", body = AddedLead),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_lead(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<TypedLeadRequest>,
) -> ApiResult<(StatusCode, axum::Json<AddedLead>)> {
    let (org, once) = (member.org(), IdempotentOperation::new("typed_lead", &headers, &format!("{form:?}"))?);
    let mut tx = state.db()?.begin().await?;
    if let Some(added) = once.find_stored_response::<StoredAddedLead>(&mut tx, &state, org).await? {
        let added = added.load_view(&mut tx, &state, &member).await?;
        return Ok((StatusCode::CREATED, axum::Json(added)));
    }
    let profile = load_profile(&mut tx, &member).await?;
    let (customer, notes) = (&form.customer, form.notes.as_deref());
    let id = lead::create_noted_lead(&mut tx, &state.origin, &profile, customer, notes).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::LeadSubmitted, Some(id.0)).await?;
    let text = if form.text_booking_link {
        Some(text_booking_link(&mut tx, &state, &who, &member, (&profile, id, &form)).await?)
    } else {
        None
    };
    let added = StoredAddedLead::new(id, text);
    once.store_response(&mut tx, org, &added).await?;
    let added = added.load_view(&mut tx, &state, &member).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(added)))
}

async fn text_booking_link(
    tx: &mut Tx,
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    (profile, id, form): (&OrgProfile, LeadId, &TypedLeadRequest),
) -> ApiResult<MessageId> {
    let link = profile.booking_link(&state.settings.public_url).ok_or_else(|| {
        ApiError::invalid_field("textBookingLink", "Turn on online booking in Settings first, or add your booking link")
    })?;
    let detail = load_lead_detail(&mut *tx, state, member, id).await?.lead;
    let language = Language::detect_from_texts(form.notes.as_slice()).unwrap_or_default();
    let body = booking_invitation_text(&profile.org.name, &detail.summary.name, &link, language);
    let written = ComposedMessage {
        channel: MessageChannel::Sms,
        body: Some(body),
        subject: None,
        send_at: None,
        lead_id: Some(id),
        by_hand: false,
    };
    let (org, author) = (member.org(), member.account());
    let sent = write::send_or_record(&mut *tx, &state.origin, org, author, detail.customer_id, &written).await?;
    let (actor, subject) = (who.actor_for(member), Some(sent.id.0));
    audit::record(tx, &state.origin, &actor, org, AuditAction::MessageWritten, subject).await?;
    Ok(sent.id)
}
