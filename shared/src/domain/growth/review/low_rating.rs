//! Alert of a low rating, sent at once after the review was given.

use chrono::{DateTime, Duration, Utc};

use super::{
    form::{ReviewContent, format_tenths},
    matching::MatchedCustomer,
};
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{JobId, OrgId, ReviewId},
    },
};

/// Below this the business is notified at once (features 61). In tenths.
const LOW_RATING_TENTHS: i64 = 35;
/// Older reviews raise no alert.
const MAX_REVIEW_AGE: Duration = Duration::days(30);
const SHOWN: usize = 200;

pub(super) async fn notify_low_rating(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: ReviewId,
    (content, received_at): (&ReviewContent, DateTime<Utc>),
    matched: Option<&MatchedCustomer>,
) -> Result<()> {
    if content.stars >= LOW_RATING_TENTHS || ctx.origin.now() - received_at > MAX_REVIEW_AGE {
        return Ok(());
    }
    let profile = ctx.profile;
    let who = content.customer_name.as_deref().unwrap_or("someone");
    let title = format!("{} stars from {who}", format_tenths(content.stars));
    let words = content.body.as_deref().unwrap_or("No words were left.");
    let words: String = words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    let job = match matched.and_then(|matched| matched.job) {
        Some(job) => describe_job(&mut *tx, profile.org.id, job).await?,
        None => None,
    };
    let body = match job {
        Some(job) => format!("\"{words}\" It is about {job}. A draft of your answer is ready."),
        None => format!("\"{words}\" A draft of your answer is ready."),
    };
    let alert = NewAlert {
        lead: matched.and_then(|matched| matched.lead),
        path: Some(format!("/app/reviews?review={id}")),
        ..NewAlert::new(alert::AlertKind::LowRating, format!("review:{id}:low"), title, body)
    };
    alert::raise_alert(tx, ctx.origin, profile, alert).await.map(|_| ())
}

async fn describe_job(tx: &mut Tx, org: OrgId, job: JobId) -> Result<Option<String>> {
    let sql = "SELECT number, service FROM job WHERE org_id = $1 AND id = $2";
    let found = q!(tx, fetch_optional as (i64, String), sql, org, job)?;
    Ok(found.map(|(number, service)| format!("job {number}, {}", crate::domain::intake::lead::service_label(&service))))
}
