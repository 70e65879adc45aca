//! Net effect of several changes of a job for its crew.

use serde_json::json;
use uuid::Uuid;

use super::*;

const CHICAGO: Tz = chrono_tz::America::Chicago;
const BLUE: CrewId = CrewId(Uuid::from_u128(1));
const RED: CrewId = CrewId(Uuid::from_u128(2));

fn at(hour: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_713) + Duration::hours(hour)
}

fn job() -> CrewJobNow {
    CrewJobNow {
        id: JobId(Uuid::from_u128(7)),
        lead_id: LeadId(Uuid::from_u128(8)),
        number: 1007,
        service: "Roof Repair".to_owned(),
        customer: "Ann Lee".to_owned(),
        address: Some("12 Oak St".to_owned()),
        starts_at: Some(at(15)),
        ends_at: Some(at(17)),
        crew_id: Some(BLUE),
        status: JobState::Scheduled,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as the row holds it")]
fn was(starts: Option<i64>, crew: Option<CrewId>, status: &str) -> Option<Json<JobSnapshot>> {
    let ends = starts.map(|hour| at(hour + 2));
    let was = json!({"startsAt": starts.map(at), "endsAt": ends, "crewId": crew, "status": status, "version": 3});
    Some(Json(serde_json::from_value(was).unwrap()))
}

fn row(was: Option<Json<JobSnapshot>>, fields: &[&str]) -> PendingCrewChangeRow {
    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
    PendingCrewChangeRow { job_id: job().id, was, fields: Some(Json(fields)), account_id: None, at: at(0) }
}

fn of(job: &CrewJobNow, was: Option<Json<JobSnapshot>>) -> Option<NetChange> {
    compute_net_change(job, BLUE, &[&row(was, &[])])
}

#[test]
fn net_change_compares_first_and_last_state() {
    let moved_twice =
        [row(was(Some(15), Some(BLUE), "scheduled"), &[]), row(was(Some(9), Some(BLUE), "scheduled"), &[])];
    assert_eq!(compute_net_change(&job(), BLUE, &moved_twice.each_ref()), None, "moved and moved back");
    let moved = NetChange::Moved { from: at(9) };
    assert_eq!(of(&job(), was(Some(9), Some(BLUE), "scheduled")), Some(moved));
    assert_eq!(of(&job(), None), Some(NetChange::New));
    assert_eq!(of(&job(), was(Some(15), Some(RED), "scheduled")), Some(NetChange::New), "it was another crew's");
    assert_eq!(of(&job(), was(None, Some(BLUE), "scheduled")), Some(NetChange::New), "it had no time");
    assert_eq!(of(&job(), was(Some(15), Some(BLUE), "cancelled")), Some(NetChange::New), "it is on again");
    let longer = CrewJobNow { ends_at: Some(at(18)), ..job() };
    assert_eq!(of(&longer, was(Some(15), Some(BLUE), "scheduled")), Some(NetChange::EndChanged));
}

#[test]
fn removed_job_is_reported_only_to_crew_that_had_it() {
    let from = at(15);
    let (had, never) = (was(Some(15), Some(BLUE), "scheduled"), was(Some(15), Some(RED), "scheduled"));
    let reds = CrewJobNow { crew_id: Some(RED), ..job() };
    let tray = CrewJobNow { starts_at: None, ends_at: None, ..job() };
    let off = CrewJobNow { status: JobState::Cancelled, ..job() };
    let table = [
        (&reds, NetChange::Reassigned { from }),
        (&tray, NetChange::Unscheduled { from }),
        (&off, NetChange::Cancelled { from }),
    ];
    for (now, wanted) in table {
        assert_eq!(of(now, had.clone()), Some(wanted));
        assert_eq!(of(now, never.clone()), None, "{now:?}");
        assert_eq!(of(now, None), None, "{now:?}");
    }
    assert_eq!(of(&CrewJobNow { status: JobState::Completed, ..job() }, had), None, "they did it themselves");
}

#[test]
fn detail_changes_are_combined_in_one_notice() {
    let had = || was(Some(15), Some(BLUE), "scheduled");
    let rows = [row(had(), &["zip", "address"]), row(had(), &["specialInstructions"])];
    let net = compute_net_change(&job(), BLUE, &rows.each_ref());
    let Some(net) = net else { panic!("no notice") };
    let (title, body) = words::render_alert(&[(job(), net)], CHICAGO).unwrap();
    assert_eq!(title, "Job 1007 was changed");
    assert_eq!(body, "#1007 Roof Repair · Ann Lee. New: the address, the instructions.");
    assert_eq!(of(&job(), had()), None);
}

#[test]
fn single_job_is_described_in_full_and_several_as_lines() {
    let one = words::render_alert(&[(job(), NetChange::New)], CHICAGO).unwrap();
    assert_eq!(one, ("New job: Thu, Sep 17, 10:00 AM".to_owned(), "#1007 Roof Repair · Ann Lee, 12 Oak St".to_owned()));
    let moved = words::render_alert(&[(job(), NetChange::Moved { from: at(13) })], CHICAGO).unwrap();
    assert_eq!(moved.1, "#1007 Roof Repair · Ann Lee. It was Thu, Sep 17, 8:00 AM.");
    let (title, body) = words::render_alert(&vec![(job(), NetChange::Cancelled { from: at(15) }); 6], CHICAGO).unwrap();
    assert_eq!((title.as_str(), body.lines().count()), ("Your schedule changed: 6 jobs", 5));
    assert!(body.starts_with("Cancelled: Thu, Sep 17, 10:00 AM: #1007") && body.ends_with("and 2 more"), "{body}");
    assert_eq!(words::render_alert(&[], CHICAGO), None);
}

#[test]
fn change_concerning_only_past_days_is_ignored() {
    let now = at(24 * 3);
    assert!(!is_relevant(&job(), &NetChange::New, now));
    assert!(is_relevant(&job(), &NetChange::New, at(20)), "today");
    assert!(is_relevant(&CrewJobNow { starts_at: Some(at(24 * 4)), ..job() }, &NetChange::Moved { from: at(15) }, now));
    assert!(is_relevant(&job(), &NetChange::Moved { from: at(24 * 4) }, now), "taken from a day to come");
}
