//! The time to compute free slots within 30 days, for five crews with five jobs on every working day.

use std::time::Instant;

use chrono::{Duration, Timelike};
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::NewCustomer,
        tenancy::{activity_log::ActivityActor, org},
        work::{
            booking,
            crew::{self, CrewForm},
            job::{self, NewJob},
        },
    },
    platform::clock::ClockRng,
};
use tests::test_install::{Business, TestInstall};

use crate::figures::{Figures, Goal, quantile};

const CREWS: usize = 5;
const DAYS: i64 = 30;
const JOBS_A_DAY: i64 = 5;
const LOOKS: usize = 100;

pub async fn of_a_month(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let db = install.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    let (origin, org) = (&ClockRng::system(), business.profile.org.clone());
    let mut tx = db.begin().await.expect("a transaction");
    let noon = origin.now().with_hour(12).and_then(|noon| noon.with_minute(0)).expect("noon");
    for n in 0..CREWS {
        let form = CrewForm { name: Some(format!("Crew {n}")), ..CrewForm::default() };
        let crew = crew::add_crew(&mut tx, origin, org.id, &form).await.expect("a crew");
        for job in 0..DAYS * JOBS_A_DAY {
            let starts_at = noon + Duration::days(job / JOBS_A_DAY) + Duration::minutes(100 * (job % JOBS_A_DAY));
            let customer = NewCustomer { name: Some(format!("Visitor {n} {job}")), ..NewCustomer::default() };
            let new = NewJob {
                customer: Some(customer),
                service: Some("Repairs".to_owned()),
                crew_id: Some(crew.id),
                starts_at: Some(starts_at),
                duration_minutes: Some(45),
                tell: Some(false),
                ..NewJob::default()
            };
            job::create(&mut tx, origin, &business.profile, &new, &ActivityActor::System).await.expect("a job");
        }
    }
    tx.commit().await.expect("a commit");
    let mut times = Vec::with_capacity(LOOKS);
    for _ in 0..LOOKS {
        let from = Instant::now();
        let mut conn = db.acquire_reader().await.expect("a connection");
        let profile = org::load_profile(&mut conn, org.clone()).await.expect("the profile");
        let services = booking::list_bookable_services(&profile);
        let offer = booking::offer_slots(&mut conn, origin, &profile, (&services[0], None), None, Language::En)
            .await
            .expect("times");
        assert!(!offer.days.is_empty(), "evenings and gaps are free");
        times.push(from.elapsed().as_secs_f64() * 1000.0);
    }
    figures.add(
        engine,
        "free times of 30 days, 5 crews, 750 jobs, p99",
        quantile(&mut times, 0.99),
        "ms",
        Goal::AtMost(50.0),
    );
    db.close().await;
}
