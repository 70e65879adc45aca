//! The reports of the coming days, as the preview of the switch lists them.

use chrono::{DateTime, Utc};

use super::{period, plan, send, words};
use crate::{
    domain::{
        messaging::message::Kind,
        tenancy::org::{Profile, preview::Planned},
    },
    platform::{db::AsConn, error::Result},
};

/// So many mornings are listed at most.
const MOST: usize = 100;

/// What will be sent until then, to each receiver. Their words are written on the day, from the figures of that morning.
pub async fn ahead(
    conn: &mut dyn AsConn,
    profile: &Profile,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<Planned>> {
    let (settings, zone) = (&profile.settings.pulse, profile.org.zone());
    let day = |at: &DateTime<Utc>| at.with_timezone(&zone).date_naive();
    let dues = std::iter::successors(Some(plan::next(settings, zone, now)), |at| Some(plan::next(settings, zone, *at)));
    let dues: Vec<_> =
        dues.take_while(|at| *at <= until).filter(|at| !settings.is_quiet_on(day(at))).take(MOST).collect();
    let to = send::receivers(conn, profile).await?;
    let planned = dues.iter().flat_map(|at| {
        let about = words::days(period(settings, day(at)), settings.language);
        to.iter().map(move |to| Planned {
            at: *at,
            to: to.address.clone(),
            to_name: None,
            channel: to.channel,
            kind: Kind::Pulse,
            subject: None,
            text: format!("The figures of {about}."),
            lead_id: None,
            why: "its time has not come yet".to_owned(),
        })
    });
    Ok(planned.collect())
}
