//! Reports of the coming days, for the preview of the switch.

use chrono::{DateTime, Utc};

use super::{plan, reporting_period, send, words};
use crate::{
    domain::{
        messaging::message::{MessageKind, PlannedMessage},
        tenancy::org::OrgProfile,
    },
    platform::{db::AsConn, error::Result},
};

const MOST: usize = 100;

/// Planned reports per receiver. Their text is written on the day, from that morning's figures.
pub async fn preview_upcoming(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<PlannedMessage>> {
    let (settings, zone) = (&profile.settings.pulse, profile.org.zone());
    let day = |at: &DateTime<Utc>| at.with_timezone(&zone).date_naive();
    let dues = std::iter::successors(Some(plan::next_due_at(settings, zone, now)), |at| {
        Some(plan::next_due_at(settings, zone, *at))
    });
    let dues: Vec<_> =
        dues.take_while(|at| *at <= until).filter(|at| !settings.is_quiet_on(day(at))).take(MOST).collect();
    let to = send::list_recipients(conn, profile).await?;
    let planned = dues.iter().flat_map(|at| {
        let about = words::format_period(reporting_period(settings, day(at)), settings.language);
        to.iter().map(move |to| PlannedMessage {
            at: *at,
            to: to.to_string(),
            to_name: None,
            channel: to.channel(),
            kind: MessageKind::Pulse,
            subject: None,
            text: format!("The figures of {about}."),
            lead_id: None,
            why: "its time has not come yet".to_owned(),
        })
    });
    Ok(planned.collect())
}
