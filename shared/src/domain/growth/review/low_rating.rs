//! A low review is told to the business at once, after it was given.

use chrono::{DateTime, Duration, Utc};

use super::{
    form::{Said, shown},
    matching::Matched,
};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::alert::{self, NewAlert},
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{JobId, OrgId, ReviewId},
    },
};

/// Below this the business is told at once (features 61). In tenths.
const LOW: i64 = 35;
/// What is older is history and alarms nobody.
const LATELY: Duration = Duration::days(30);
/// As much of the words as an alert shows.
const SHOWN: usize = 200;

/// Tells the business of a review that is low and new: "2 stars from Ann Lee", with the job that it is about.
pub(super) async fn tell(
    tx: &mut Tx,
    house: &Intake<'_>,
    id: ReviewId,
    (said, received_at): (&Said, DateTime<Utc>),
    matched: Option<&Matched>,
) -> Result<()> {
    if said.stars >= LOW || house.origin.now() - received_at > LATELY {
        return Ok(());
    }
    let profile = house.profile;
    let who = said.customer_name.as_deref().unwrap_or("somebody");
    let title = format!("{} stars from {who}", shown(said.stars));
    let words = said.body.as_deref().unwrap_or("No words were left.");
    let words: String = words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    let job = match matched.and_then(|matched| matched.job) {
        Some(job) => about(&mut *tx, profile.org.id, job).await?,
        None => None,
    };
    let body = match job {
        Some(job) => format!("\"{words}\" It is about {job}. A draft of your answer is ready."),
        None => format!("\"{words}\" A draft of your answer is ready."),
    };
    let alert = NewAlert {
        lead: matched.and_then(|matched| matched.lead),
        path: Some(format!("/app/reviews?review={id}")),
        ..NewAlert::new(alert::Kind::LowRating, format!("review:{id}:low"), title, body)
    };
    alert::raise(tx, house.origin, profile, alert).await.map(|_| ())
}

async fn about(tx: &mut Tx, org: OrgId, job: JobId) -> Result<Option<String>> {
    let sql = "SELECT number, service FROM job WHERE org_id = $1 AND id = $2";
    let found = q!(tx, fetch_optional as (i64, String), sql, org, job)?;
    Ok(found.map(|(number, service)| {
        format!("job {number}, {}", crate::domain::intake::lead::form::service_label(&service))
    }))
}
