//! What came of several changes of a job, as its crew is told of it.

use serde_json::json;
use uuid::Uuid;

use super::*;

const CHICAGO: Tz = chrono_tz::America::Chicago;
const BLUE: CrewId = CrewId(Uuid::from_u128(1));
const RED: CrewId = CrewId(Uuid::from_u128(2));

fn at(hour: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_713) + Duration::hours(hour)
}

fn job() -> Now {
    Now {
        id: JobId(Uuid::from_u128(7)),
        number: 1007,
        service: "Roof Repair".to_owned(),
        customer: "Ann Lee".to_owned(),
        address: Some("12 Oak St".to_owned()),
        starts_at: Some(at(15)),
        ends_at: Some(at(17)),
        crew_id: Some(BLUE),
        status: Status::Scheduled,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as the row holds it")]
fn was(starts: Option<i64>, crew: Option<CrewId>, status: &str) -> Option<Json<Value>> {
    let ends = starts.map(|hour| at(hour + 2));
    Some(Json(json!({"startsAt": starts.map(at), "endsAt": ends, "crewId": crew, "status": status, "version": 3})))
}

fn row(was: Option<Json<Value>>, fields: &[&str]) -> Row {
    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
    Row { job_id: job().id, was, fields: Some(Json(fields)), account_id: None, at: at(0) }
}

fn of(job: &Now, was: Option<Json<Value>>) -> Option<Net> {
    net(job, BLUE, &[&row(was, &[])])
}

#[test]
fn what_counts_is_how_it_stood_at_first_and_how_it_stands_at_last() {
    let moved_twice =
        [row(was(Some(15), Some(BLUE), "scheduled"), &[]), row(was(Some(9), Some(BLUE), "scheduled"), &[])];
    assert_eq!(net(&job(), BLUE, &moved_twice.each_ref()), None, "moved and moved back");
    let moved = Net::Moved { from: at(9) };
    assert_eq!(of(&job(), was(Some(9), Some(BLUE), "scheduled")), Some(moved));
    assert_eq!(of(&job(), None), Some(Net::New));
    assert_eq!(of(&job(), was(Some(15), Some(RED), "scheduled")), Some(Net::New), "it was another crew's");
    assert_eq!(of(&job(), was(None, Some(BLUE), "scheduled")), Some(Net::New), "it had no time");
    assert_eq!(of(&job(), was(Some(15), Some(BLUE), "cancelled")), Some(Net::New), "it is on again");
    let longer = Now { ends_at: Some(at(18)), ..job() };
    assert_eq!(of(&longer, was(Some(15), Some(BLUE), "scheduled")), Some(Net::Longer));
}

#[test]
fn what_is_taken_away_is_told_and_what_never_was_theirs_is_not() {
    let from = at(15);
    let (had, never) = (was(Some(15), Some(BLUE), "scheduled"), was(Some(15), Some(RED), "scheduled"));
    let reds = Now { crew_id: Some(RED), ..job() };
    let tray = Now { starts_at: None, ends_at: None, ..job() };
    let off = Now { status: Status::Cancelled, ..job() };
    let table = [(&reds, Net::Gone { from }), (&tray, Net::Unplanned { from }), (&off, Net::Cancelled { from })];
    for (now, wanted) in table {
        assert_eq!(of(now, had.clone()), Some(wanted));
        assert_eq!(of(now, never.clone()), None, "{now:?}");
        assert_eq!(of(now, None), None, "{now:?}");
    }
    assert_eq!(of(&Now { status: Status::Completed, ..job() }, had), None, "they did it themselves");
}

#[test]
fn other_changes_are_named_together() {
    let had = || was(Some(15), Some(BLUE), "scheduled");
    let rows = [row(had(), &["zip", "address"]), row(had(), &["specialInstructions"])];
    let net = net(&job(), BLUE, &rows.each_ref());
    let Some(net) = net else { panic!("nothing is told") };
    let (title, body) = words::said(&[(job(), net)], CHICAGO).unwrap();
    assert_eq!(title, "Job 1007 was changed");
    assert_eq!(body, "#1007 Roof Repair · Ann Lee. New: the address, the instructions.");
    assert_eq!(of(&job(), had()), None);
}

#[test]
fn one_job_is_told_in_full_and_many_in_a_line_each() {
    let one = words::said(&[(job(), Net::New)], CHICAGO).unwrap();
    assert_eq!(one, ("New job: Thu, Sep 17, 10:00 AM".to_owned(), "#1007 Roof Repair · Ann Lee, 12 Oak St".to_owned()));
    let moved = words::said(&[(job(), Net::Moved { from: at(13) })], CHICAGO).unwrap();
    assert_eq!(moved.1, "#1007 Roof Repair · Ann Lee. It was Thu, Sep 17, 8:00 AM.");
    let (title, body) = words::said(&vec![(job(), Net::Cancelled { from: at(15) }); 6], CHICAGO).unwrap();
    assert_eq!((title.as_str(), body.lines().count()), ("Your schedule changed: 6 jobs", 5));
    assert!(body.starts_with("Cancelled: Thu, Sep 17, 10:00 AM: #1007") && body.ends_with("and 2 more"), "{body}");
    assert_eq!(words::said(&[], CHICAGO), None);
}

#[test]
fn days_that_are_over_change_nobodys() {
    let now = at(24 * 3);
    assert!(!matters(&job(), &Net::New, now));
    assert!(matters(&job(), &Net::New, at(20)), "today");
    assert!(matters(&Now { starts_at: Some(at(24 * 4)), ..job() }, &Net::Moved { from: at(15) }, now));
    assert!(matters(&job(), &Net::Moved { from: at(24 * 4) }, now), "taken from a day to come");
}
