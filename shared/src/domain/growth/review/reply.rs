//! The answer to a review: drafted from the business's own wording, changed and kept by a person, and posted by them where
//! the review stands. Nothing is posted from here.

use super::list;
use crate::{
    documents::template::{self, Language, Variables},
    domain::{intake::lead::Intake, work::activity::Doer},
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, OrgId, ReviewId},
        live::{self, Topic},
        text::lines,
    },
};

/// As much as the public sites take.
pub const LONGEST: usize = 4_000;

/// The draft of an answer, in the language that the customer reads, else as the review is written. The same for every
/// review.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such review.
pub async fn draft(conn: &mut dyn AsConn, house: &Intake<'_>, id: ReviewId) -> Result<String> {
    let review = list::get(&mut *conn, house.profile.org.id, id).await?;
    let known = language(conn, house.profile.org.id, review.customer_id).await?;
    let read = || Language::of_customer(&[review.review_text.as_deref().unwrap_or_default()]);
    let language = known.or_else(read).unwrap_or_default();
    let org = &house.profile.org;
    let variables = Variables {
        language,
        business_name: org.name.clone(),
        business_phone: org.phone.clone(),
        customer_name: review.customer_name.unwrap_or_default(),
        ..Variables::default()
    };
    let kind = template::Kind::ReviewReply;
    Ok(template::render(kind, &house.profile.wording(kind, language), &variables)?.body)
}

async fn language(conn: &mut dyn AsConn, org: OrgId, customer: Option<CustomerId>) -> Result<Option<Language>> {
    let Some(customer) = customer else { return Ok(None) };
    let sql = "SELECT language FROM customer WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar Option<Language>, sql, org, customer)?.flatten())
}

/// Keeps an answer with who wrote it and when; none takes it away.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Invalid`] on `text`.
pub async fn keep(tx: &mut Tx, house: &Intake<'_>, id: ReviewId, text: Option<&str>, by: &Doer) -> Result<()> {
    let mut errors = FieldErrors::default();
    let text = lines("text", text, LONGEST).optional(&mut errors);
    errors.finish()?;
    let (org, at) = (house.profile.org.id, house.origin.now());
    let kept = q!(
        &mut *tx,
        execute,
        "UPDATE review SET reply = $3, replied_at = $4, replied_by = $5 WHERE org_id = $1 AND id = $2",
        org,
        id,
        text.as_deref(),
        text.is_some().then_some(at),
        text.is_some().then(|| by.name())
    )?;
    if kept == 0 {
        return Err(Error::NotFound);
    }
    live::announce(tx, house.origin, org, Topic::Review, id.0, None).await
}
