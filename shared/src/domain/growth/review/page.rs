//! What a customer does at the link of their request: leaves stars and words with the business, goes on to the public
//! site, or asks for no more of it. Whatever anybody gave, or whether they gave anything, they are shown the same.

use sqlx::FromRow;

use super::{
    ask,
    intake::{self, LONGEST_NAME, LONGEST_TEXT, New, Said, Way},
    rule::Why,
    site,
};
use crate::{
    documents::template::Language,
    domain::{
        intake::{
            contact_point,
            lead::{Intake, Sender, consent::about_offers},
        },
        messaging::{
            message::Channel,
            opt_out::store::{self as opt_out, State},
        },
    },
    platform::{
        db::{
            AsConn, Tx,
            batch::{Insert, insert, values},
            q,
        },
        error::{Error, FieldErrors, Result},
        id::{CustomerId, LeadId, OrgId, ReviewAskId, ReviewId},
        text::{line, lines},
    },
};

/// What stands in the place of the form's version.
const VERSION: &str = "review page";

/// The page.
#[derive(Clone, Debug)]
pub struct ReviewPage {
    pub language: Language,
    /// As their record says it; the form begins with it.
    pub customer: String,
    /// What they gave before.
    pub given: Option<Given>,
    /// The public site, for everybody alike; none where the business has set none.
    pub site: Option<Site>,
}

/// What they gave.
#[derive(Clone, Debug, FromRow)]
pub struct Given {
    /// In tenths.
    pub stars: i64,
    pub body: Option<String>,
    pub customer_name: Option<String>,
}

/// Where reviews stand in public.
#[derive(Clone, Debug)]
pub struct Site {
    pub name: String,
    pub url: String,
}

#[derive(FromRow)]
struct Row {
    customer_id: CustomerId,
    lead_id: LeadId,
    name: String,
    language: Option<Language>,
}

async fn row(conn: &mut dyn AsConn, org: OrgId, id: ReviewAskId) -> Result<Row> {
    q!(
        conn,
        fetch_optional as Row,
        "SELECT a.customer_id, a.lead_id, c.name, c.language FROM review_ask a
         JOIN customer c ON c.org_id = a.org_id AND c.id = a.customer_id
         WHERE a.org_id = $1 AND a.id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)
}

/// # Errors
/// [`Error::NotFound`] when there is no such request.
pub async fn get(conn: &mut dyn AsConn, house: &Intake<'_>, id: ReviewAskId) -> Result<ReviewPage> {
    let org = &house.profile.org;
    let row = row(&mut *conn, org.id, id).await?;
    let sql = "SELECT stars, body, customer_name FROM review WHERE org_id = $1 AND dedupe_key = $2";
    let given = q!(conn, fetch_optional as Given, sql, org.id, key(id))?;
    Ok(ReviewPage {
        language: row.language.unwrap_or_default(),
        // Whoever only called is known by their number.
        customer: if row.name.chars().any(char::is_alphabetic) { row.name } else { String::new() },
        given,
        site: public_site(house),
    })
}

/// The public site that the business has set.
fn public_site(house: &Intake<'_>) -> Option<Site> {
    let link = house.profile.org.review_link.as_deref().filter(|link| !site::forbids_asking(link))?;
    Some(Site { name: site::name(link), url: link.to_owned() })
}

fn key(id: ReviewAskId) -> String {
    format!("page:{id}")
}

/// What they sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Typed<'a> {
    pub stars: Option<&'a str>,
    pub words: Option<&'a str>,
    pub name: Option<&'a str>,
}

impl Typed<'_> {
    fn check(&self) -> Result<Said> {
        let mut errors = FieldErrors::default();
        let stars = self.stars.and_then(|stars| stars.parse::<i64>().ok()).filter(|stars| (1..=5).contains(stars));
        if stars.is_none() {
            errors.add("stars", "Please choose how many stars");
        }
        let said = Said {
            reviewed_on: None,
            customer_name: line("name", self.name, LONGEST_NAME).optional(&mut errors),
            stars: stars.unwrap_or_default() * 10,
            body: lines("words", self.words, LONGEST_TEXT).optional(&mut errors),
            source: Way::Page.source().to_owned(),
            phone: None,
            email: None,
        };
        errors.finish()?;
        Ok(said)
    }
}

/// Takes their review, or what they changed about it. One request, one review.
///
/// # Errors
/// [`Error::Invalid`] on `stars`, `words` or `name`.
pub async fn give(tx: &mut Tx, house: &Intake<'_>, id: ReviewAskId, typed: Typed<'_>) -> Result<ReviewId> {
    let said = typed.check()?;
    let today = house.origin.now().with_timezone(&house.profile.org.zone()).date_naive();
    let said = Said { reviewed_on: Some(today), ..said };
    let new = New { said, way: Way::Page, key: key(id), ask: Some(id), customer: None, job: None };
    let (review, is_new) = intake::take(&mut *tx, house, &new).await?;
    if !is_new {
        intake::rewrite(tx, house, review, &new.said).await?;
    }
    Ok(review)
}

/// They pressed the button that leads to the public site. Where it leads; none where the business has set none.
///
/// # Errors
/// [`Error::NotFound`] when there is no such request.
pub async fn click(tx: &mut Tx, house: &Intake<'_>, id: ReviewAskId) -> Result<Option<Site>> {
    let org = house.profile.org.id;
    row(&mut *tx, org, id).await?;
    let Some(site) = public_site(house) else { return Ok(None) };
    ask::end(&mut *tx, house.origin, org, id, (Why::Clicked, None), None).await?;
    let sql = "UPDATE review_ask SET clicked_at = $3 WHERE org_id = $1 AND id = $2 AND clicked_at IS NULL";
    q!(tx, execute, sql, org, id, house.origin.now())?;
    Ok(Some(site))
}

/// They want no more of it: no email that is not about their own matter, no such text, and this sequence ends. The same
/// again changes nothing.
///
/// # Errors
/// [`Error::NotFound`] when there is no such request.
pub async fn refuse(tx: &mut Tx, house: &Intake<'_>, id: ReviewAskId, sender: &Sender) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let row = row(&mut *tx, org, id).await?;
    let sent_to = "SELECT DISTINCT to_address FROM message WHERE org_id = $1 AND about_id = $2 AND channel = 'email'";
    let mut addresses = q!(&mut *tx, fetch_all scalar String, sent_to, org, id)?;
    let to = contact_point::of_lead(&mut *tx, org, row.lead_id).await?;
    addresses.extend(to.email.filter(|email| !addresses.contains(email)));
    for address in &addresses {
        let said = opt_out::Said { state: State::Stopped, source: "text", matched: Some("unsubscribe") };
        if opt_out::find(&mut *tx, org, Channel::Email, address).await?.is_none() {
            opt_out::record(&mut *tx, origin, org, Channel::Email, address, &said).await?;
        }
    }
    withdraw(&mut *tx, house, &row, sender).await?;
    ask::end_for(tx, origin, org, row.customer_id, Why::OptedOut).await
}

/// What they agreed to by a form they take back: a row of its own, unless the last one says so.
async fn withdraw(tx: &mut Tx, house: &Intake<'_>, row: &Row, sender: &Sender) -> Result<()> {
    let (origin, org) = (house.origin, &house.profile.org);
    let last = about_offers(&mut *tx, org.id, row.customer_id).await?;
    if last.is_some_and(|answer| !answer.granted) {
        return Ok(());
    }
    let wording = format!("No more review requests and offers from {}.", org.name);
    let refusal = Insert::into(
        "consent (org_id, id, customer_id, lead_id, class, granted, wording, version, at, ip, user_agent)",
    )
    .row(values![
        org.id,
        origin.uuid(),
        row.customer_id,
        row.lead_id,
        "promotional",
        false,
        wording,
        VERSION,
        origin.now(),
        sender.ip.map(|ip| ip.to_string()),
        sender.user_agent.as_deref()
    ]);
    insert(tx, &refusal).await.map(|_| ())
}
