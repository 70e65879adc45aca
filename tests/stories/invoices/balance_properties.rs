//! Random histories of agreements, changes, invoices, payments and refunds: the balance equals a ledger kept here, to
//! the cent. Totals of lines are computed here in exact fractions, from the rules and not from the code.

use proptest::{
    prelude::*,
    sample::Index,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use tests::{app::TestApp, both_databases};

use super::{BillingFixture, billing_fixture};

const HISTORIES: usize = 2;
const STEPS: usize = 14;

/// A line: thousandths, cents, ten-thousandths of a percent, ten-thousandths of a percent.
type Line = (i64, i64, i64, i64);
type Step = (u8, i64, Index);

fn histories() -> Vec<(Vec<Line>, i64, Vec<Step>)> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let line =
        (1_i64..9_000, 1_i64..60_000, prop_oneof![Just(0), 0_i64..400_000], prop_oneof![Just(0), 0_i64..120_000]);
    let steps = prop::collection::vec((0_u8..11, 1_i64..60_000, any::<Index>()), STEPS);
    let history = (prop::collection::vec(line, 1..6), prop_oneof![Just(0), 0_i64..300_000], steps);
    (0..HISTORIES).map(|_| history.new_tree(&mut runner).unwrap().current()).collect()
}

/// Rounds half away from zero; for amounts that are not negative.
fn half_up(n: i128, d: i128) -> i64 {
    i64::try_from((2 * n + d) / (2 * d)).unwrap()
}

/// The rate is in ten-thousandths of a percent.
fn part(of: i64, rate: i64) -> i64 {
    half_up(i128::from(of) * i128::from(rate), 1_000_000)
}

/// The total of the lines, with a discount of the whole in percent.
fn total(lines: &[Line], discount: i64) -> i64 {
    let one = |(quantity, price, own, tax): &Line| {
        let gross = half_up(i128::from(*quantity) * i128::from(*price), 1000);
        let net = gross - part(gross, *own);
        let rest = net - part(net, discount);
        rest + part(rest, *tax)
    };
    lines.iter().map(one).sum()
}

fn dollars(cents: i64) -> Value {
    json!(format!("{}.{:02}", cents / 100, cents % 100))
}

fn percent(rate: i64) -> Value {
    json!(format!("{}.{:04}", rate / 10_000, rate % 10_000))
}

fn written(lines: &[Line]) -> Vec<Value> {
    let line = |(quantity, price, own, tax): &Line| {
        json!({"name": "Work", "quantity": format!("{}.{:03}", quantity / 1000, quantity % 1000), "unitPrice": dollars(*price),
               "discount": {"percent": percent(*own)}, "taxRate": percent(*tax)})
    };
    lines.iter().map(line).collect()
}

struct Invoice {
    id: Value,
    total: i64,
    is_final: bool,
    is_void: bool,
    /// The total of change orders when it was issued.
    changes: i64,
}

/// The reference ledger.
#[derive(Default)]
struct Table {
    /// Includes change orders.
    agreed: i64,
    changes: i64,
    job: Option<String>,
    invoices: Vec<Invoice>,
    /// Each payment, its amount, and what is left of it.
    payments: Vec<(Value, i64, i64)>,
}

impl Table {
    fn issued(&self) -> i64 {
        sum(&self.valid_invoices())
    }

    fn valid_invoices(&self) -> Vec<&Invoice> {
        self.invoices.iter().filter(|invoice| !invoice.is_void).collect()
    }

    /// The amount of the next invoice: the whole rest, or the changes since the last one.
    fn left(&self) -> i64 {
        let valid_invoices = self.valid_invoices();
        let last = valid_invoices.iter().rposition(|invoice| invoice.is_final);
        match last.filter(|last| valid_invoices[*last].changes != self.changes) {
            Some(last) => self.changes - valid_invoices[last].changes - sum(&valid_invoices[last + 1..]),
            None => self.agreed - self.issued(),
        }
    }

    fn received(&self) -> i64 {
        self.payments.iter().map(|payment| payment.2).sum()
    }

    fn rest(&self) -> i64 {
        let valid_invoices = self.valid_invoices();
        let wanted = match valid_invoices.iter().rposition(|invoice| invoice.is_final) {
            Some(last) => sum(&valid_invoices[..=last]) + self.changes - valid_invoices[last].changes,
            None => self.agreed,
        };
        wanted.max(self.issued()) - self.received()
    }

    /// The estimate is not approved, so it covers nothing that was paid beyond an invoice. A signed change order rests on
    /// the value of its job, which is that of the estimate.
    fn credit(&self) -> i64 {
        let is_only_quoted = self.changes == 0 && self.issued() > 0;
        let beyond = if is_only_quoted { self.received() - self.issued() } else { -self.rest() };
        beyond.max(0)
    }
}

fn sum(invoices: &[&Invoice]) -> i64 {
    invoices.iter().map(|invoice| invoice.total).sum()
}

fn cents(value: &Value) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "some thousands of dollars")]
    let whole = (value.as_f64().unwrap() * 100.0).round() as i64;
    whole
}

async fn lives_through(fixture: &BillingFixture, table: &mut Table, (what, amount, which): Step) {
    match what {
        0 | 1 => bills(fixture, table, json!({"share": {"amount": dollars(amount)}}), Some(amount)).await,
        2 => bills(fixture, table, json!({}), None).await,
        3 => {
            let line = (1000, amount, 0, 82_500);
            bills(fixture, table, json!({"lines": written(&[line]), "isFinal": false}), Some(total(&[line], 0))).await;
        }
        4..=6 => {
            let open: Vec<&Value> = table.valid_invoices().into_iter().map(|one| &one.id).collect();
            let invoice = (what == 6 && !open.is_empty()).then(|| (*which.get(&open)).clone());
            let paid = fixture.pays(json!({"amount": dollars(amount), "partial": true, "invoiceId": invoice})).await;
            table.payments.push((paid["payment"]["id"].clone(), amount, amount));
        }
        7 if !table.payments.is_empty() => {
            let payment = which.index(table.payments.len());
            let (id, _, left) = &mut table.payments[payment];
            let back = amount.min(*left);
            if back > 0 {
                let path = format!("/api/payments/{}/refund", id.as_str().unwrap());
                assert_eq!(fixture.office.post(&path, &json!({"amount": dollars(back)})).await.status, 200);
                *left -= back;
            }
        }
        8 if !table.invoices.is_empty() => {
            let at = which.index(table.invoices.len());
            let invoice = json!({"id": table.invoices[at].id});
            let answer = fixture.does(&invoice, "/void", json!({"reason": "A slip"})).await;
            assert_eq!(answer.status == 200, !table.invoices[at].is_void, "{}", answer.json());
            // Payments of it stay as the customer's credit.
            table.invoices[at].is_void = true;
        }
        9 | 10 => {
            let line = (1000 * (1 + amount % 3), amount, 0, 82_500);
            changes(fixture, table, line, what == 10).await;
        }
        _ => {}
    }
}

/// A change order over this line, signed or only waiting; a waiting one counts nothing.
async fn changes(fixture: &BillingFixture, table: &mut Table, line: Line, is_signed: bool) {
    if table.job.is_none() {
        table.job = Some(fixture.job().await);
    }
    let path = format!("/api/jobs/{}/change-orders", table.job.as_deref().unwrap());
    let body = json!({"lines": written(&[line]), "send": {"email": false, "text": false}});
    let made = fixture.office.post(&path, &body).await;
    assert_eq!(made.status, 201, "{}", made.json());
    if !is_signed {
        return;
    }
    let at = super::at(&made.json()["changeOrder"]);
    // The customer, who has no session: the office's own copy answers nothing.
    let customer = fixture.office.without("cookie");
    let page = super::text(&customer.get(&at).await);
    let sha256 = &page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64];
    let signed = format!("name=Ann+Lee&agree=yes&sha256={sha256}").into_bytes();
    let kind = "application/x-www-form-urlencoded";
    let signed = customer.send(axum::http::Method::POST, &format!("{at}/approve"), kind, signed).await;
    assert_eq!(signed.status, 303);
    let more = total(&[line], 0);
    table.agreed += more;
    table.changes += more;
}

/// Without an amount: the whole rest of what was agreed.
async fn bills(fixture: &BillingFixture, table: &mut Table, body: Value, cents_of_it: Option<i64>) {
    let left = table.left();
    let is_of_agreed = body.get("lines").is_none();
    let mut asked = json!({"leadId": fixture.lead});
    asked.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    let answer = fixture.office.post("/api/invoices", &asked).await;
    if is_of_agreed && (left <= 0 || cents_of_it.is_some_and(|asked| asked > left)) {
        assert!(matches!(answer.status.as_u16(), 409 | 422), "{}", answer.json());
        return;
    }
    assert_eq!(answer.status, 201, "{}", answer.json());
    let draft = answer.json();
    let wanted = cents_of_it.unwrap_or(left);
    assert_eq!(cents(&draft["total"]), wanted, "{draft}");
    fixture.sends(&draft, json!({"email": false, "text": false})).await;
    let (id, is_final, changes) = (draft["id"].clone(), cents_of_it.is_none(), table.changes);
    table.invoices.push(Invoice { id, total: wanted, is_final, is_void: false, changes });
}

async fn compare(fixture: &BillingFixture, table: &Table) {
    let money = fixture.money().await;
    let rest = table.rest();
    let reported = ["agreed", "invoiced", "collected", "owed", "credit"].map(|name| cents(&money[name]));
    let wanted = [table.agreed, table.issued(), table.received(), rest.max(0), table.credit()];
    assert_eq!(reported, wanted, "{money}");
    let shown: Vec<&Value> =
        money["invoices"].as_array().unwrap().iter().filter(|one| one["status"] != "void").collect();
    let paid: i64 = shown.iter().map(|one| cents(&one["paid"])).sum();
    assert_eq!(paid, table.received().min(table.issued()), "no credit remains beside an open invoice: {money}");
    for one in shown {
        let (total, paid, balance) = (cents(&one["total"]), cents(&one["paid"]), cents(&one["balance"]));
        assert_eq!((total - paid, one["status"] == "paid"), (balance, balance == 0), "{one}");
        let parts = money["payments"].as_array().unwrap().iter().flat_map(|row| row["allocations"].as_array().unwrap());
        let parts: i64 = parts.filter(|part| part["invoiceId"] == one["id"]).map(|part| cents(&part["amount"])).sum();
        assert_eq!(parts, paid, "{one}");
    }
}

both_databases! {
    async fn balance_matches_an_independent_ledger_in_random_histories(app) {
        let shop = billing_fixture(app).await;
        for (n, (lines, discount, steps)) in (0..).zip(histories()) {
            let fixture = another(app, &shop, n).await;
            let path = format!("/api/leads/{}/estimate", fixture.lead);
            let body = json!({"lines": written(&lines), "discount": {"percent": percent(discount)}, "send": {"email": false, "text": false}});
            let made = fixture.office.post(&path, &body).await;
            let mut table = Table { agreed: total(&lines, discount), ..Table::default() };
            assert_eq!(made.status, 200, "{}", made.json());
            for step in steps {
                lives_through(&fixture, &mut table, step).await;
                compare(&fixture, &table).await;
            }
            assert!(table.invoices.len() + table.payments.len() > 3, "a history without money shows nothing");
        }
        app.run_tasks().await;
    }
}

async fn another(app: &TestApp, fixture: &BillingFixture, n: u32) -> BillingFixture {
    let lead = tests::people::Visitor::number(n).submits_lead(app, &fixture.shop).await;
    BillingFixture { shop: fixture.shop.clone(), lead, office: fixture.office.clone() }
}
