//! Reply to a review: drafted from the business's wording, edited and kept by a person, who posts it on the site.
//! Nothing is posted from here.

use super::list;
use crate::{
    documents::template::{self, Language, WordingValues},
    domain::tenancy::{activity_log::ActivityActor, org::OrgContext},
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, OrgId, ReviewId},
        live::{self, Topic},
        text::multi_line,
    },
};

/// Limit of the public sites.
pub const LONGEST: usize = 4_000;

/// Draft in the customer's language, else that of the review. The same for every review.
pub async fn draft_reply(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: ReviewId) -> Result<String> {
    let review = list::get_review(&mut *conn, ctx.profile.org.id, id).await?;
    let stored = customer_language(conn, ctx.profile.org.id, review.customer_id).await?;
    let read = || Language::detect_from_texts(&[review.review_text.as_deref().unwrap_or_default()]);
    let language = stored.or_else(read).unwrap_or_default();
    let org = &ctx.profile.org;
    let variables = WordingValues {
        language,
        business_name: org.name.clone(),
        business_phone: org.phone.clone(),
        customer_name: review.customer_name.unwrap_or_default(),
        ..WordingValues::default()
    };
    let kind = template::TemplateKindName::ReviewReply;
    Ok(template::render_wording(kind, &ctx.profile.wording(kind, language), &variables)?.body)
}

async fn customer_language(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: Option<CustomerId>,
) -> Result<Option<Language>> {
    let Some(customer) = customer else { return Ok(None) };
    let sql = "SELECT language FROM customer WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar Option<Language>, sql, org, customer)?.flatten())
}

/// Keeps a reply with its author and time; none removes it.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Invalid`] on `text`.
pub async fn save_reply(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: ReviewId,
    text: Option<&str>,
    by: &ActivityActor,
) -> Result<()> {
    let mut errors = FieldErrors::default();
    let text = multi_line("text", text, LONGEST).parse_optional(&mut errors);
    errors.into_result()?;
    let (org, at) = (ctx.profile.org.id, ctx.origin.now());
    let kept = q!(
        &mut *tx,
        execute,
        "UPDATE review SET reply = $3, replied_at = $4, replied_by = $5 WHERE org_id = $1 AND id = $2",
        org,
        id,
        text.as_deref(),
        text.is_some().then_some(at),
        text.is_some().then(|| by.display_name())
    )?;
    if kept == 0 {
        return Err(Error::NotFound);
    }
    live::publish_event(tx, ctx.origin, org, Topic::Review, id.0, None).await
}
