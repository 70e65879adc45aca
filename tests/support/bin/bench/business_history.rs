//! Rows of a plumbing business with years of work: future work is constant, past work grows.

use chrono::{Days, Duration};
use serde_json::json;
use shared::{
    domain::work::crew::{self, CrewForm},
    platform::{
        clock::ClockRng,
        db::{
            Db, Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        id::{CrewId, CustomerId, JobId, LeadId, OrgId},
        sequence::FIRST,
    },
};

mod bench_lead;

pub use bench_lead::{asked_at, monday};

use bench_lead::{BenchLead, Stage, name, stage, starts_at};

const CREWS: usize = 8;
const TOGETHER: usize = 50;
const PARTS_PER_COMMIT: usize = 20;

/// The owner of the rows, and the last numbers used.
pub struct BusinessHistory<'a> {
    pub org: OrgId,
    origin: &'a ClockRng,
    crews: Vec<CrewId>,
    job: i64,
    invoice: i64,
    receipt: i64,
}

impl<'a> BusinessHistory<'a> {
    pub async fn with_crews(db: &Db, origin: &'a ClockRng, org: OrgId) -> Self {
        let mut all = Self::small(origin, org);
        let mut tx = db.begin().await.expect("a transaction");
        for n in 0..CREWS {
            let form = CrewForm { name: Some(format!("Crew {n}")), ..CrewForm::default() };
            all.crews.push(crew::add_crew(&mut tx, origin, org, &form).await.expect("a crew").id);
        }
        tx.commit().await.expect("a commit");
        all
    }

    /// A business with the owner only.
    pub fn small(origin: &'a ClockRng, org: OrgId) -> Self {
        let last = FIRST - 1;
        Self { org, origin, crews: Vec::new(), job: last, invoice: last, receipt: last }
    }

    /// Stores requests of these ages, oldest first, as their numbers ascend.
    pub async fn works(&mut self, db: &Db, ages: std::ops::Range<u64>) {
        let ages: Vec<u64> = ages.rev().collect();
        for some in ages.chunks(TOGETHER * PARTS_PER_COMMIT) {
            let mut tx = db.begin().await.expect("a transaction");
            self.works_in(&mut tx, some).await;
            tx.commit().await.expect("a commit");
        }
    }

    pub async fn works_in(&mut self, tx: &mut Tx, ages: &[u64]) {
        for some in ages.chunks(TOGETHER) {
            let mut works: Vec<BenchLead> = Vec::with_capacity(some.len());
            for age in some {
                let before = works.last().filter(|work| work.age / 2 == age / 2).map(|work| work.customer);
                works.push(self.work(*age, before));
            }
            let rows = [self.people(&works), self.requests(&works), self.jobs(&works), self.money(&works)];
            insert_all(tx, &rows.into_iter().flatten().collect::<Vec<_>>()).await.expect("rows");
        }
        for (series, last) in [("job", self.job), ("invoice", self.invoice), ("receipt", self.receipt)] {
            let sql = "INSERT INTO number_sequence (org_id, kind, last) VALUES ($1, $2, $3)
                 ON CONFLICT (org_id, kind) DO UPDATE SET last = $3";
            q!(&mut *tx, execute, sql, self.org, series, last).expect("the numbers");
        }
    }

    fn work(&mut self, age: u64, customer: Option<CustomerId>) -> BenchLead {
        let (stage, origin) = (stage(age), self.origin);
        self.job += 1;
        self.invoice += i64::from(matches!(stage, Stage::Done | Stage::Paid));
        self.receipt += i64::from(stage == Stage::Paid);
        BenchLead {
            age,
            stage,
            customer: customer.unwrap_or_else(|| CustomerId(origin.random_uuid())),
            lead: LeadId(origin.random_uuid()),
            job: JobId(origin.uuid_v7()),
            invoice: origin.uuid_v7(),
            payment: origin.uuid_v7(),
            numbers: [self.job, self.invoice, self.receipt],
            cents: 10_000 + i64::try_from(age * 7919 % 90_000).unwrap_or_default(),
            asked_at: asked_at(origin.now(), age),
            starts_at: starts_at(origin.now(), age, stage),
        }
    }

    /// One customer per two requests.
    fn people(&self, works: &[BenchLead]) -> Vec<Insert<'static>> {
        let firsts =
            || works.iter().enumerate().filter(|(at, work)| *at == 0 || works[at - 1].customer != work.customer);
        let people = firsts().map(|(_, work)| {
            let (name, phone) = (name(work.age), work.phone());
            let search = format!("{name}\n{phone}").to_lowercase();
            values![self.org, work.customer, name, phone, search, work.asked_at]
        });
        let keys = firsts().map(|(_, work)| values![self.org, "phone", work.phone(), work.customer]);
        vec![
            Insert::into("customer (org_id, id, name, phone_e164, search, created_at)").with_rows(people),
            Insert::into("customer_key (org_id, kind, value, customer_id)").with_rows(keys),
        ]
    }

    fn requests(&self, works: &[BenchLead]) -> Vec<Insert<'static>> {
        let leads = works.iter().map(|work| {
            let (at, name, phone) = (work.asked_at, name(work.age), work.phone());
            let search = format!("{name}\nplumbing\n{phone}").to_lowercase();
            let [quoted, paid] =
                [work.stage != Stage::New, work.stage == Stage::Paid].map(|is| is.then_some(work.cents));
            values![
                self.org,
                work.lead,
                work.customer,
                "lead",
                name,
                phone.clone(),
                phone,
                "plumbing",
                "78701",
                "Website",
                json!({}),
                work.stage.name(),
                quoted,
                paid,
                work.starts_at,
                paid.map(|_| at),
                false,
                1_i64,
                0_i64,
                0_i64,
                search,
                at,
                at
            ]
        });
        let touches = works.iter().map(|work| {
            let id = self.origin.uuid_v7();
            values![self.org, id, work.lead, work.asked_at, "lead", "plumbing", json!({"zip": "78701"}), json!({})]
        });
        vec![
            Insert::into(
                "lead (org_id, id, customer_id, form, name, phone, phone_e164, service, zip, source, attribution, stage,
                     quoted_cents, collected_cents, scheduled_at, paid_at, needs_attention, touch_count, missed_calls,
                     photo_count, search, created_at, last_touch_at)",
            )
            .with_rows(leads),
            Insert::into("lead_inquiry (org_id, id, lead_id, at, form, service, submission, attribution)").with_rows(touches),
        ]
    }

    fn jobs(&self, works: &[BenchLead]) -> Vec<Insert<'static>> {
        let jobs = works.iter().map(|work| {
            let (at, number) = (work.asked_at, work.numbers[0]);
            let crew = work.starts_at.and_then(|_| self.crews.get(work.place() % CREWS).copied());
            let search = format!("{number}\n{}\nplumbing\n12 elm street\n78701", name(work.age)).to_lowercase();
            values![
                self.org,
                work.job,
                number,
                work.lead,
                work.customer,
                crew,
                "plumbing",
                "12 Elm Street",
                "78701",
                work.status(),
                "standard",
                work.starts_at,
                work.starts_at.map(|at| at + Duration::hours(2)),
                120_i64,
                0_i64,
                work.cents,
                json!([]),
                "none",
                "Website",
                work.done_at(),
                1_i64,
                1_i64,
                work.starts_at.unwrap_or(at),
                search,
                at,
                at
            ]
        });
        let events = works.iter().map(|work| {
            let detail = json!({"number": work.numbers[0], "service": "plumbing"});
            let (id, at) = (self.origin.uuid_v7(), work.asked_at);
            values![self.org, id, work.lead, work.job, "job_created", at, at, "system", "Toolbox", detail]
        });
        vec![
            Insert::into(
                "job (org_id, id, number, lead_id, customer_id, crew_id, service, address, zip, status, priority,
                     starts_at, ends_at, duration_minutes, arrival_minutes, value_cents, materials, required_photos,
                     source, completed_at, version, plan, listed_at, search, created_at, updated_at)",
            )
            .with_rows(jobs),
            Insert::into(
                "work_event (org_id, id, lead_id, job_id, kind, at, recorded_at, actor_kind, actor_name, detail)",
            )
            .with_rows(events),
        ]
    }

    fn money(&self, works: &[BenchLead]) -> Vec<Insert<'static>> {
        let done = || works.iter().filter_map(|work| work.done_at().map(|at| (work, at)));
        let paid = || done().filter(|(work, _)| work.stage == Stage::Paid);
        let invoices = done().map(|(work, at)| {
            let day = at.date_naive();
            let (status, sum) = if work.stage == Stage::Paid { ("paid", work.cents) } else { ("open", 0) };
            values![
                self.org,
                work.invoice,
                work.lead,
                work.customer,
                work.job,
                work.numbers[1],
                status,
                work.content(),
                work.cents,
                sum,
                day,
                day + Days::new(14),
                at,
                at,
                (sum > 0).then_some(at),
                true
            ]
        });
        let payments = paid().map(|(work, at)| {
            let [cents, number] = [work.cents, work.numbers[2]];
            let day = at.date_naive();
            values![
                self.org,
                work.payment,
                work.lead,
                work.customer,
                "payment",
                "check",
                cents,
                day,
                "settled",
                number,
                at
            ]
        });
        let parts = paid().map(|(work, _)| values![self.org, work.payment, work.invoice, work.cents]);
        vec![
            Insert::into(
                "invoice (org_id, id, lead_id, customer_id, job_id, number, status, content, total_cents, paid_cents,
                     issued_on, due_on, created_at, sent_at, settled_at, reminders_enabled)",
            )
            .with_rows(invoices),
            Insert::into(
                "payment (org_id, id, lead_id, customer_id, kind, method, amount_cents, received_on, status, number,
                     created_at)",
            )
            .with_rows(payments),
            Insert::into("payment_allocation (org_id, payment_id, invoice_id, cents)").with_rows(parts),
        ]
    }
}
