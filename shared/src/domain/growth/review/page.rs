//! Customer page of a review request: stars and words for the business, the public site, or an opt-out. It is the same
//! for every customer, with any rating or none.

use sqlx::FromRow;

use super::{
    intake::{self, LONGEST_NAME, LONGEST_TEXT, NewReview, ReviewContent, ReviewIntakeChannel},
    request_lifecycle,
    rule::ReviewRequestReason,
};
use crate::{
    documents::{recipient_name::name_on_document, template::Language},
    domain::{
        intake::{
            contact_point,
            lead::{FormSender, find_marketing_consent},
        },
        messaging::{
            message::MessageChannel,
            opt_out::{self, OptOutState},
        },
        tenancy::org::{self, OrgContext},
        work::pipeline,
    },
    platform::{
        db::{AsConn, Tx, batch::insert_rows, batch_row, q},
        email_address::EmailAddress,
        error::{Error, FieldErrors, Result},
        id::{CustomerId, LeadId, OrgId, ReviewId, ReviewRequestId},
        text::{multi_line, single_line},
    },
};

/// Recorded in place of the form's version.
const VERSION: &str = "review page";

#[derive(Clone, Debug)]
pub struct CustomerReviewPage {
    pub language: Language,
    /// Name on record; it prefills the form.
    pub customer: String,
    pub given: Option<SubmittedReview>,
    /// Public site, the same for every customer; none where the business has set none.
    pub site: Option<PublicReviewSite>,
}

#[derive(Clone, Debug, FromRow)]
pub struct SubmittedReview {
    /// In tenths.
    pub stars: i64,
    pub body: Option<String>,
    pub customer_name: Option<String>,
}

#[derive(Clone, Debug)]
pub struct PublicReviewSite {
    pub name: String,
    pub url: String,
}

#[derive(FromRow)]
struct RequestPageRow {
    customer_id: CustomerId,
    lead_id: LeadId,
    name: String,
    language: Option<Language>,
}

async fn load_row(conn: &mut dyn AsConn, org: OrgId, id: ReviewRequestId) -> Result<RequestPageRow> {
    q!(
        conn,
        fetch_optional as RequestPageRow,
        "SELECT a.customer_id, a.lead_id, c.name, c.language FROM review_request a
         JOIN customer c ON c.org_id = a.org_id AND c.id = a.customer_id
         WHERE a.org_id = $1 AND a.id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)
}

pub async fn load_page(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: ReviewRequestId) -> Result<CustomerReviewPage> {
    let org = &ctx.profile.org;
    let row = load_row(&mut *conn, org.id, id).await?;
    let sql = "SELECT stars, body, customer_name FROM review WHERE org_id = $1 AND dedupe_key = $2";
    let given = q!(conn, fetch_optional as SubmittedReview, sql, org.id, dedupe_key(id))?;
    Ok(CustomerReviewPage {
        language: row.language.unwrap_or_default(),
        // The record of a customer who only called has the number for a name.
        customer: name_on_document(&row.name, None, None),
        given,
        site: public_site(ctx),
    })
}

fn public_site(ctx: &OrgContext<'_>) -> Option<PublicReviewSite> {
    let link = ctx.profile.org.review_link.as_deref().filter(|link| !org::forbids_review_requests(link))?;
    Some(PublicReviewSite { name: org::review_site_name(link), url: link.to_owned() })
}

fn dedupe_key(id: ReviewRequestId) -> String {
    format!("page:{id}")
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ReviewInput<'a> {
    pub stars: Option<&'a str>,
    pub words: Option<&'a str>,
    pub name: Option<&'a str>,
}

impl ReviewInput<'_> {
    fn validate_input(&self) -> Result<ReviewContent> {
        let mut errors = FieldErrors::default();
        let stars = self.stars.and_then(|stars| stars.parse::<i64>().ok()).filter(|stars| (1..=5).contains(stars));
        if stars.is_none() {
            errors.add("stars", "Please choose how many stars");
        }
        let content = ReviewContent {
            reviewed_on: None,
            customer_name: single_line("name", self.name, LONGEST_NAME).parse_optional(&mut errors),
            stars: stars.unwrap_or_default() * 10,
            body: multi_line("words", self.words, LONGEST_TEXT).parse_optional(&mut errors),
            source: ReviewIntakeChannel::Page.default_source().to_owned(),
            phone: None,
            email: None,
        };
        errors.into_result()?;
        Ok(content)
    }
}

/// Stores the review, or changes it: one per request.
///
/// # Errors
/// [`Error::Invalid`] on `stars`, `words` or `name`.
pub async fn submit_review(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: ReviewRequestId,
    typed: ReviewInput<'_>,
) -> Result<ReviewId> {
    let content = typed.validate_input()?;
    let today = ctx.origin.now().with_timezone(&ctx.profile.org.zone()).date_naive();
    let content = ReviewContent { reviewed_on: Some(today), ..content };
    let key = dedupe_key(id);
    let new = NewReview { content, way: ReviewIntakeChannel::Page, key, ask: Some(id), customer: None, job: None };
    let (review, is_new) = intake::insert_review(&mut *tx, ctx, &new).await?;
    if !is_new {
        intake::update_review(tx, ctx, review, &new.content).await?;
    }
    Ok(review)
}

/// Records the click. Returns the public site; none where the business has set none.
pub async fn record_click(tx: &mut Tx, ctx: &OrgContext<'_>, id: ReviewRequestId) -> Result<Option<PublicReviewSite>> {
    let org = ctx.profile.org.id;
    load_row(&mut *tx, org, id).await?;
    let Some(site) = public_site(ctx) else { return Ok(None) };
    request_lifecycle::end_request(&mut *tx, ctx.origin, org, id, (ReviewRequestReason::Clicked, None), None).await?;
    let sql = "UPDATE review_request SET clicked_at = $3 WHERE org_id = $1 AND id = $2 AND clicked_at IS NULL";
    q!(tx, execute, sql, org, id, ctx.origin.now())?;
    Ok(Some(site))
}

/// Opt-out: ends emails that are not about the customer's own matter, texts of that kind, and this sequence. False when
/// all of it was refused before. Locks the lead, so that several presses at once are one opt-out.
pub async fn unsubscribe_customer(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: ReviewRequestId,
    sender: &FormSender,
) -> Result<bool> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let row = load_row(&mut *tx, org, id).await?;
    pipeline::lock_stage(&mut *tx, org, row.lead_id).await?;
    let mut is_new = !request_lifecycle::list_open_requests(&mut *tx, org, row.customer_id).await?.is_empty();
    let sent_to = "SELECT DISTINCT to_address FROM message WHERE org_id = $1 AND about_id = $2 AND channel = 'email'";
    let mut addresses = q!(&mut *tx, fetch_all scalar EmailAddress, sent_to, org, id)?;
    let to = contact_point::load_lead_recipient(&mut *tx, org, row.lead_id).await?;
    addresses.extend(to.email.filter(|email| !addresses.contains(email)));
    for address in &addresses {
        let (source, matched) = ("text", Some("unsubscribe"));
        let record = opt_out::OptOutRecord { state: OptOutState::Stopped, source, matched };
        if opt_out::find_opt_out(&mut *tx, org, MessageChannel::Email, address.as_str()).await?.is_none() {
            opt_out::record_opt_out(&mut *tx, origin, org, MessageChannel::Email, address.as_str(), &record).await?;
            is_new = true;
        }
    }
    is_new |= withdraw_consent(&mut *tx, ctx, &row, sender).await?;
    request_lifecycle::end_customer_requests(tx, origin, org, row.customer_id, ReviewRequestReason::OptedOut).await?;
    Ok(is_new)
}

/// Withdraws the consent given by a form, in a new row. False when the last row says so already.
async fn withdraw_consent(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    row: &RequestPageRow,
    sender: &FormSender,
) -> Result<bool> {
    let (origin, org) = (ctx.origin, &ctx.profile.org);
    let last = find_marketing_consent(&mut *tx, org.id, row.customer_id).await?;
    if last.is_some_and(|answer| !answer.granted) {
        return Ok(false);
    }
    let wording = format!("No more review requests and offers from {}.", org.name);
    let refusal = batch_row!(consent {
        org_id: org.id,
        id: origin.uuid_v7(),
        customer_id: row.customer_id,
        lead_id: row.lead_id,
        class: "promotional",
        granted: false,
        wording,
        version: VERSION,
        at: origin.now(),
        ip: sender.ip.map(|ip| ip.to_string()),
        user_agent: sender.user_agent.as_deref(),
    });
    insert_rows(tx, &refusal).await?;
    Ok(true)
}
